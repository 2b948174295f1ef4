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

/// Sets the state file that receives fatal signals, for this process; -1 for none.
void ashlar_log_set_state_file(int descriptor);

/// Removes the record of an `abort` whose handler returned, because the process goes on to its end; nothing if another state
/// file is set.
void ashlar_log_end_state_file(int descriptor);

/// Removes the state file, unless another one is set by now.
void ashlar_log_release_state_file(int descriptor);

/// The signal that is recorded in a state file; 0 if there is none.
int ashlar_log_recorded_signal(int descriptor);

/// Records a signal in a state file, or 0 to remove the record. Async-signal-safe.
void ashlar_log_record_signal(int descriptor, int signal);

/// Collects the loaded images for backtraces; called again, those that were loaded since.
void ashlar_log_collect_images(void);

extern __thread int ashlar_log_has_signal_stack;

/// Gives the calling thread a second stack for signal handlers, if they are installed and it has none.
void ashlar_log_add_signal_stack(void);

/// Does the same once for each thread.
static inline void ashlar_log_prepare_thread(void) {
    if (!ashlar_log_has_signal_stack) ashlar_log_add_signal_stack();
}

/// Installs handlers that record the signal with one pwrite and then call the handlers installed before. If such a handler
/// returns, the record is removed, because the process continues; after `abort` it doesn't.
/// Returns the number of signals whose handler could not be installed.
int ashlar_log_install_signal_handlers(void);

extern int ashlar_log_forked;

/// Whether this process is the forked child of one that had begun a run, and hasn't begun its own.
static inline int ashlar_log_is_forked(void) { return __atomic_load_n(&ashlar_log_forked, __ATOMIC_RELAXED); }

/// Notes that this process begins a run, so that its forked children know that it isn't theirs.
void ashlar_log_begin_process(void);

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
