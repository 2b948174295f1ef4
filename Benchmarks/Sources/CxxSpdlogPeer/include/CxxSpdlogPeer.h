#ifndef CXX_SPDLOG_PEER_H
#define CXX_SPDLOG_PEER_H

// spdlog behind C functions. Each runs its own loop, so that no call between languages is measured.

#ifdef __cplusplus
extern "C" {
#endif

/// debug("message {} of {}") below the level.
void spdlog_disabled(long count);
/// info("message {} of {}"), formatted, dropped by a null sink.
void spdlog_null(long count);
/// The same, printed with its time and stored in memory.
void spdlog_memory(long count);
/// info("answered status={} user={} path={}"), printed with its time and stored in memory.
void spdlog_fields(long count);
/// Opens the loggers that write to files.
void spdlog_open(const char *flushed_file, const char *buffered_file);
/// info("message {} of {}") to a file, flushed after every line.
void spdlog_flushed(long count);
/// The same, flushed when its buffer is full.
void spdlog_buffered(long count);
/// The same on several threads at once, each with its share of the lines, flushed after every line.
void spdlog_flushed_by(long count, int threads);

#ifdef __cplusplus
}
#endif

#endif
