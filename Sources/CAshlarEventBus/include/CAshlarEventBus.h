#ifndef CASHLAR_EVENT_BUS_H
#define CASHLAR_EVENT_BUS_H

#include <stdint.h>

/// What one thread knows about the triggers it is inside of. Swift has no thread-local variable of its own, and the
/// other ways (task locals, pthread keys) cost more than delivering an event.
struct ashlar_bus_thread {
    /// How many triggers this thread is inside of.
    uint32_t depth;
    /// The thread's number, from 1, which chooses its stripe; 0 until it is first asked for.
    uint32_t number;
    /// The innermost running frame of a bus that queues nested triggers.
    void *frame;
    /// The innermost hook of a bus that this thread is inside of.
    void *hook;
};

extern _Thread_local struct ashlar_bus_thread ashlar_bus_thread_state;

/// The state of the calling thread.
static inline struct ashlar_bus_thread *ashlar_bus_thread(void) { return &ashlar_bus_thread_state; }

#endif
