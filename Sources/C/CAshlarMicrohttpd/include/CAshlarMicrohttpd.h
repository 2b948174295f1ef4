// Opens libmicrohttpd at run time, so that a build needs neither its headers nor the library.
//
// The signatures and values come from microhttpd.h (0.9.71 and later, soname 12). All objects are opaque.
#ifndef CASHLARMICROHTTPD_H
#define CASHLARMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Called with the target of a request before its fields are read; returns the object of the request.
typedef void *(*ashlar_mhd_begin)(void *closure, const char *target, void *connection);
// Called with the head of a request, then with each part of its body, and then without bytes; returns 0 to close the connection.
typedef int (*ashlar_mhd_access)(
    void *closure, void *connection, const char *path, const char *method, const char *version, const char *bytes,
    size_t *count, void **request);
// Called when the request has ended.
typedef void (*ashlar_mhd_completed)(void *closure, void *connection, void **request, int reason);
typedef int (*ashlar_mhd_field)(void *closure, int kind, const char *name, const char *value);
// Fills a buffer, and may block; returns the number of bytes, or -1 at the end.
typedef ssize_t (*ashlar_mhd_read)(void *closure, uint64_t position, char *buffer, size_t size);
typedef void (*ashlar_mhd_free)(void *closure);

// The functions as F(result, name, arguments).
#define ASHLAR_MHD_FUNCTIONS(F) \
    F(void, MHD_stop_daemon, (void *daemon)) \
    F(int, MHD_get_connection_values, (void *connection, int kind, ashlar_mhd_field each, void *closure)) \
    F(void *, MHD_create_response_from_buffer, (size_t size, void *bytes, int mode)) \
    F(void *, MHD_create_response_from_callback, \
      (uint64_t size, size_t block, ashlar_mhd_read read, void *closure, ashlar_mhd_free ended)) \
    F(int, MHD_add_response_header, (void *response, const char *name, const char *value)) \
    F(int, MHD_queue_response, (void *connection, unsigned int status, void *response)) \
    F(void, MHD_destroy_response, (void *response))

#define ASHLAR_MHD_FIELD(result, name, arguments) result(*name) arguments;
typedef struct ashlar_mhd {
    ASHLAR_MHD_FUNCTIONS(ASHLAR_MHD_FIELD)
} ashlar_mhd;

// Opens the library, once per process; on failure returns NULL and writes the reason to `error`. The library stays open.
const ashlar_mhd *ashlar_mhd_open(const char *name, char *error, size_t size);

// Starts a server on 127.0.0.1 with a thread for each connection; the system chooses the port if `*port` is 0.
//
// Writes the port to `*port`. On failure returns NULL and sets errno. The library must be open.
void *ashlar_mhd_start(
    uint16_t *port, unsigned int connections, unsigned int seconds, ashlar_mhd_begin begin, ashlar_mhd_access access,
    ashlar_mhd_completed completed, void *closure);

#endif
