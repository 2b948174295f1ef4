#ifndef ASHLAR_LOGGING_H
#define ASHLAR_LOGGING_H

// What the logger needs below Swift: a thread-local slot that costs one load, and code that may run in a signal
// handler, where Swift's runtime may not.

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

extern __thread void *ashlar_log_slot;

/// The calling thread's value, or NULL.
static inline void *ashlar_log_thread_value(void) { return ashlar_log_slot; }

/// Clears the calling thread's value without destroying it, as the end of the thread does.
static inline void ashlar_log_forget_thread_value(void) { ashlar_log_slot = NULL; }

/// Tells the processor that the thread looks again and again at memory that another changes.
static inline void ashlar_log_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Appends bytes to a file that was opened with O_APPEND and is `size` bytes long; the result is the number of bytes
/// written or -errno.
///
/// On Linux straight into the kernel: the C library's `write` is a point where a thread can be cancelled, with the lock
/// of the file held, and pays two atomic operations for it. There pwrite(2) appends to such a file whatever the offset,
/// and does not take the lock of the file position, of which an appended line has no need.
static inline long ashlar_log_append(int descriptor, const void *bytes, size_t count, int64_t size) {
#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__)
    long result;
    register long offset __asm__("r10") = (long)size;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(18L), "D"((long)descriptor), "S"(bytes), "d"(count), "r"(offset)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__linux__) && defined(__aarch64__) && defined(__LP64__)
    register long number __asm__("x8") = 68;
    register long result __asm__("x0") = descriptor;
    register const void *start __asm__("x1") = bytes;
    register size_t length __asm__("x2") = count;
    register long offset __asm__("x3") = (long)size;
    __asm__ volatile("svc #0" : "+r"(result) : "r"(number), "r"(start), "r"(length), "r"(offset) : "memory");
    return result;
#else
    (void)size;
    ssize_t written = write(descriptor, bytes, count);
    return written >= 0 ? written : -errno;
#endif
}

/// Sets the calling thread's value; `destroy` runs with it when the thread ends.
void ashlar_log_set_thread_value(void *value, void (*destroy)(void *));

/// Runs `body` with `value` on a detached thread that takes no signals. Returns 0 or an errno.
int ashlar_log_start_thread(void *value, void (*body)(void *));

/// The identity of the calling thread as the kernel names it.
uint64_t ashlar_log_thread_id(void);

/// The number of the calling task, unique in the process; 0 outside tasks and where the runtime's symbols for it are
/// compiled out.
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
