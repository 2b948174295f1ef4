#ifndef CASHLAR_CORE_H
#define CASHLAR_CORE_H

/// Starts a detached thread that runs `body(value)` with every signal blocked, so that the host's signal handlers run
/// on the host's own threads. Returns 0, or an error number if the system can't create a thread.
int ashlar_core_start_thread(void *value, void (*body)(void *));

#endif
