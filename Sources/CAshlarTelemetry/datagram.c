#define _GNU_SOURCE
#include "CAshlarTelemetry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int ashlar_telemetry_connect(const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (descriptor < 0) return -errno;
    // A high number, because an app that closes descriptors it didn't open would get datagrams into its next file.
    int moved = fcntl(descriptor, F_DUPFD, 40);
    if (moved < 0 && descriptor <= 2) moved = fcntl(descriptor, F_DUPFD, 3);
    if (moved >= 0) {
        close(descriptor);
        descriptor = moved;
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
#if defined(SO_NOSIGPIPE)
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int failed = errno;
        close(descriptor);
        return -failed;
    }
    return descriptor;
}

int ashlar_telemetry_send(int descriptor, const void *bytes, size_t count) {
#if defined(SO_NOSIGPIPE)
    int flags = 0;  // set on the socket
#elif defined(MSG_NOSIGNAL)
    int flags = MSG_NOSIGNAL;
#else
    int flags = 0;
#endif
    ssize_t sent;
    do sent = send(descriptor, bytes, count, flags);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count ? 0 : sent < 0 ? errno : EMSGSIZE;
}

void ashlar_telemetry_close(int descriptor) { close(descriptor); }
