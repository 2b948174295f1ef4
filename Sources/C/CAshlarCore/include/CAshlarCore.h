#ifndef CASHLAR_CORE_H
#define CASHLAR_CORE_H

#include <stdbool.h>
#include <stdint.h>

/// Starts a detached thread that runs `body(value)` with every signal blocked, so that the app's signal handlers run
/// on the app's own threads. Returns 0, or an error number if the system can't create a thread.
int ashlar_core_start_thread(void *value, void (*body)(void *));

/// The part of `struct stat` that Core uses. The names and types of its fields differ between systems.
struct ashlar_core_status {
    uint64_t device;
    uint64_t inode;
    int64_t size;
    uint64_t links;
    uint32_t owner;
    int64_t modified_seconds;
    int64_t changed_seconds;
    int32_t modified_nanoseconds;
    int32_t changed_nanoseconds;
    bool is_regular;
    bool is_directory;
    bool is_link;
    bool is_pipe_or_socket;
    bool is_writable_by_others;
};

/// Fills in the status of a file. Returns 0 or an error number.
int ashlar_core_status_of_path(const char *path, bool follows_links, struct ashlar_core_status *status);
int ashlar_core_status_of_descriptor(int descriptor, struct ashlar_core_status *status);

/// Returns the seconds of the wall clock since 1970 and stores the additional nanoseconds in `nanoseconds`.
int64_t ashlar_core_wall_clock(int32_t *nanoseconds);

#endif
