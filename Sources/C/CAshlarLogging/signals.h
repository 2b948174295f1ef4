#ifndef ASHLAR_LOGGING_SIGNALS_H
#define ASHLAR_LOGGING_SIGNALS_H

// Writes a line for a signal of a crash, and one for each frame of the interrupted thread. Async-signal-safe.
void ashlar_log_write_backtrace(int signal, const void *fault, const void *context);

// Ends a written backtrace, so that a later crash is written too, and reports whether the process continues.
// Async-signal-safe.
void ashlar_log_end_backtrace(int continues);

#endif
