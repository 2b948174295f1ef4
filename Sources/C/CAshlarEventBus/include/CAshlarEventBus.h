#ifndef CASHLAR_EVENT_BUS_H
#define CASHLAR_EVENT_BUS_H

#include <stdint.h>

/// A running trigger, or a running hook, of a bus on a thread; it is on the stack of the thread.
struct ashlar_bus_frame {
    /// The number of the bus.
    uint32_t bus;
    /// The depth of a trigger on its bus.
    uint32_t depth;
    /// 0 for a trigger; otherwise the kind of the hook.
    uint32_t kind;
    /// The frame around this one.
    const struct ashlar_bus_frame *outer;
};

/// The state of one thread that delivers events. Swift has no thread-local variables, and the alternatives
/// (task-local values, pthread keys) cost more than delivering an event.
struct ashlar_bus_thread {
    /// The number of the thread, from 1; 0 until the first use.
    uint32_t number;
    /// The lowest address of the thread's stack and the size of the part that is kept free of nested triggers; 0 if
    /// they aren't known.
    uintptr_t stack_low;
    uintptr_t stack_reserve;
    /// The innermost frame.
    const struct ashlar_bus_frame *frame;
};

extern _Thread_local struct ashlar_bus_thread ashlar_bus_thread_state;

/// Returns the state of the calling thread.
static inline struct ashlar_bus_thread *ashlar_bus_thread(void) { return &ashlar_bus_thread_state; }

/// Fills in the bounds of the calling thread's stack.
void ashlar_bus_find_stack(struct ashlar_bus_thread *thread);

/// Returns whether the stack has reached its reserve. A stack other than the thread's own, such as a fiber's, is never low.
static inline int ashlar_bus_stack_is_low(const struct ashlar_bus_thread *thread) {
    return (uintptr_t)__builtin_frame_address(0) - thread->stack_low < thread->stack_reserve;
}

/// Opens the pipe that handlers of signals write to; returns 0 or an error number.
int ashlar_bus_open_signal_pipe(void);

/// Waits for a caught signal and returns its number, or -1 if the pipe fails.
int ashlar_bus_next_signal(void);

/// Makes a signal go to the pipe; returns 0 or an error number. The caller must not run it twice for a signal.
int ashlar_bus_catch_signal(int number);

/// Restores the action that a signal had before it was caught.
void ashlar_bus_release_signal(int number);

#endif
