#ifndef ASHLAR_LOGGING_H
#define ASHLAR_LOGGING_H

// Numbers of a thread, which Swift has no variables for, and code for signal handlers, where Swift's runtime can't be used.

#include <stddef.h>
#include <stdint.h>

/// The numbers of a thread, which end with it.
struct ashlar_log_thread {
    /// The kernel's number of the thread.
    uint64_t identity;
    /// The number of nested log calls, and of nested calls of sinks.
    int calls, sinks;
    /// The depth that `indent` set outside of tasks.
    int indent;
};

/// The numbers of the calling thread.
struct ashlar_log_thread *ashlar_log_current_thread(void);

/// The number of the calling task, unique in the process; 0 outside tasks and where the runtime's symbols for it are
/// compiled out.
uint64_t ashlar_log_task_number(void);

/// Sets the file of `ashlar_log_signal_write` and its owner: a descriptor, or else the path of a file to create with the
/// first line.
void ashlar_log_set_signal_file(const void *owner, int descriptor, const char *path);

/// Whether the file has this owner. The run that began last owns it.
int ashlar_log_owns_signal_file(const void *owner);

/// Removes the file, unless it has another owner by now.
void ashlar_log_release_signal_file(const void *owner);

/// Writes the text and a line end with one system call; a zero byte is written as `\x00`. Async-signal-safe.
int ashlar_log_signal_write(const void *text, size_t count);

/// Sets the state file that receives fatal signals, its owner, the offset of the ending in it, and the ending while no
/// signal is handled: 0 for a running run, 1 for one that ended.
void ashlar_log_set_state_file(const void *owner, int descriptor, int64_t offset, int ending);

/// Sets the ending, before the owner writes it into the state file; nothing if the file has another owner by now.
void ashlar_log_set_state_ending(const void *owner, int ending);

/// Whether the state file has this owner.
int ashlar_log_owns_state_file(const void *owner);

/// Removes the state file, unless it has another owner by now.
void ashlar_log_release_state_file(const void *owner);

/// Collects the loaded images for backtraces; called again, those that were loaded since.
void ashlar_log_collect_images(void);

/// Installs handlers that record the signal with one pwrite and then call the handlers installed before. If such a handler
/// returns, the record is removed, because the process continues; after `abort` it doesn't.
/// Returns the number of signals whose handler could not be installed.
int ashlar_log_install_signal_handlers(void);

/// Whether stores into a mapping of allocated blocks can't fail on this folder's file system.
///
/// A file system that copies on write, or a network one, can run out of room at a store, which raises SIGBUS.
int ashlar_log_can_map_safely(const char *folder);

/// Takes a shared lock on the open file, which ends with its last descriptor; nothing on Apple systems.
void ashlar_log_mark_in_use(int descriptor);

/// Whether another open file has the lock of `ashlar_log_mark_in_use`. It takes no lock itself.
int ashlar_log_is_in_use(int descriptor);

/// The number of columns of a terminal; 0 if it is unknown.
int ashlar_log_terminal_width(int descriptor);

#endif
