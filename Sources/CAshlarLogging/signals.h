#ifndef ASHLAR_LOGGING_SIGNALS_H
#define ASHLAR_LOGGING_SIGNALS_H

// Writes a line for a signal of a crash, and one for each frame of the interrupted thread. Async-signal-safe.
void ashlar_log_write_backtrace(int signal, const void *fault, const void *context);

// Reports that the process continues, if a backtrace was written. Async-signal-safe.
void ashlar_log_end_backtrace(void);

// Remembers the end of what is printed through `stderr`, where the C library permits it.
void ashlar_log_remember_standard_error(void);

// Writes the last line that was printed through `stderr`, if it is remembered. Async-signal-safe.
void ashlar_log_write_standard_error(void);

#endif
