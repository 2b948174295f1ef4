#ifndef ASHLAR_TELEMETRY_H
#define ASHLAR_TELEMETRY_H

#include <stddef.h>

/// A non-blocking datagram socket connected to the path; a negative result is -errno.
int ashlar_telemetry_connect(const char *path);

/// Sends one datagram, without SIGPIPE. Returns 0 or an errno.
int ashlar_telemetry_send(int descriptor, const void *bytes, size_t count);

void ashlar_telemetry_close(int descriptor);

#endif
