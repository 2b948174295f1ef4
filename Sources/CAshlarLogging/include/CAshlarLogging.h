#ifndef ASHLAR_LOGGING_H
#define ASHLAR_LOGGING_H

// What the logger needs below Swift: a thread-local slot that costs one load, and code that may run in a signal
// handler, where Swift's runtime may not.

#include <stddef.h>
#include <stdint.h>

/// The value of a thread and what to do with it when the thread ends.
struct ashlar_log_slot {
    void *value;
    void (*destroy)(void *);
};

extern __thread struct ashlar_log_slot ashlar_log_slot;

/// The calling thread's value, or NULL.
static inline void *ashlar_log_thread_value(void) { return ashlar_log_slot.value; }

/// Tells the processor that the thread looks again and again at memory that another changes.
static inline void ashlar_log_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Sets the calling thread's value; `destroy` runs with it when the thread ends.
void ashlar_log_set_thread_value(void *value, void (*destroy)(void *));

/// Runs `body` with `value` on a detached thread that takes no signals. Returns 0 or an errno.
int ashlar_log_start_thread(void *value, void (*body)(void *));

/// The identity of the calling thread as the kernel names it.
uint64_t ashlar_log_thread_id(void);

/// The number of the calling task, which no other task of the process ever has; 0 outside of tasks, or if the Swift
/// runtime does not tell.
uint64_t ashlar_log_task_number(void);

/// The descriptor that `ashlar_log_signal_write` writes to; -1 for none.
void ashlar_log_set_signal_descriptor(int descriptor);

/// Writes the text and a line end with one system call. Async-signal-safe; errno is kept.
int ashlar_log_signal_write(const void *text, size_t count);

/// Where a fatal signal is noted: the state file and the offset of its state byte; -1 for none.
void ashlar_log_set_state_descriptor(int descriptor, int64_t offset);

/// Installs handlers that note the signal with one pwrite and then do what was to be done before.
/// Returns how many could not be installed.
int ashlar_log_install_signal_handlers(void);

/// Whether stores into a mapping of reserved blocks of this folder's file system cannot fail: known local ones only.
///
/// A file system that copies on write, or one behind a network, can run out of room at a store, which ends the process
/// with SIGBUS.
int ashlar_log_can_map_safely(const char *folder);

/// A datagram socket connected to the path, which does not block; a negative result is -errno.
int ashlar_log_connect_datagram(const char *path);

/// Sends one datagram, without SIGPIPE. Returns 0 or an errno.
int ashlar_log_send_datagram(int descriptor, const void *bytes, size_t count);

/// Registers the three functions around every fork. Returns 0 or an errno.
int ashlar_log_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#endif
