#include "CAshlarMicrohttpd.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

typedef void *(*start_daemon)(
    unsigned int flags, uint16_t port, void *policy, void *policy_closure, ashlar_mhd_access access, void *closure, ...);
typedef const uint16_t *(*daemon_info)(void *daemon, int kind, ...);

static start_daemon start;
static daemon_info info;

const ashlar_mhd *ashlar_mhd_open(const char *name, char *error, size_t size) {
    static ashlar_mhd mhd;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(error, size, "%s", reason ? reason : "the library can't be opened");
        return NULL;
    }
#define WANTED(result, name, arguments) {#name, &mhd.name},
    struct {
        const char *symbol;
        void *place;
    } wanted[] = {
        ASHLAR_MHD_FUNCTIONS(WANTED) {"MHD_start_daemon", &start}, {"MHD_get_daemon_info", &info}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        void *found = dlsym(library, wanted[i].symbol);
        if (!found) {
            snprintf(error, size, "%s has no function %s", name, wanted[i].symbol);
            dlclose(library);
            return NULL;
        }
        *(void **)wanted[i].place = found;
    }
    return &mhd;
}

void *ashlar_mhd_start(
    uint16_t *port, unsigned int connections, unsigned int seconds, ashlar_mhd_begin begin, ashlar_mhd_access access,
    ashlar_mhd_completed completed, void *closure) {
    // The values of MHD_FLAG, MHD_OPTION and MHD_DaemonInfoType.
    enum { thread_per_connection = 4, internal_polling = 8, automatic = 65536 };
    enum { end = 0, connection_limit = 2, connection_timeout = 3, notify_completed = 4, socket_address = 6, uri_log = 7 };
    enum { bind_port = 6 };
    struct sockaddr_in address;
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    void *daemon = start(
        thread_per_connection | internal_polling | automatic, *port, NULL, NULL, access, closure, connection_limit,
        connections, connection_timeout, seconds, notify_completed, completed, closure, socket_address, &address, uri_log,
        begin, closure, end);
    if (!daemon) return NULL;
    const uint16_t *bound = info(daemon, bind_port);
    if (bound) *port = *bound;
    return daemon;
}
