#ifndef ASHLAR_LOGGING_SIGNALS_H
#define ASHLAR_LOGGING_SIGNALS_H

// Writes a line for a signal of a crash, and one for each frame of the interrupted thread. Async-signal-safe.
void ashlar_log_write_backtrace(int signal, const void *fault, const void *context);

// Reports that the process continues, if a backtrace was written. Async-signal-safe.
void ashlar_log_end_backtrace(void);

#endif
