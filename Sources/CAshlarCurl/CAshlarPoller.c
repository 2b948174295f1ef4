#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CAshlarPoller.h"

#if defined(__linux__)

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int ashlar_poller_open(ashlar_poller *poller) {
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    poller->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = poller->wake};
    if (poller->epoll >= 0 && poller->wake >= 0 &&
        epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->wake, &event) == 0) {
        return 0;
    }
    ashlar_poller_close(poller);
    return -1;
}

void ashlar_poller_close(const ashlar_poller *poller) {
    if (poller->epoll >= 0) close(poller->epoll);
    if (poller->wake >= 0) close(poller->wake);
}

void ashlar_poller_wake(const ashlar_poller *poller) {
    uint64_t one = 1;
    // Full (EAGAIN) means that a wake-up is pending already.
    while (write(poller->wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

void ashlar_poller_watch(const ashlar_poller *poller, int descriptor, int what, int known) {
    struct epoll_event event = {.events = 0, .data.fd = descriptor};
    if (what & 1) event.events |= EPOLLIN;
    if (what & 2) event.events |= EPOLLOUT;
    if (known && epoll_ctl(poller->epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return;
    if (epoll_ctl(poller->epoll, EPOLL_CTL_ADD, descriptor, &event) < 0 && errno == EEXIST) {
        epoll_ctl(poller->epoll, EPOLL_CTL_MOD, descriptor, &event);
    }
}

void ashlar_poller_forget(const ashlar_poller *poller, int descriptor) {
    epoll_ctl(poller->epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int ashlar_poller_wait(const ashlar_poller *poller, ashlar_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[64];
    if (capacity > 64) capacity = 64;
    int count = epoll_wait(poller->epoll, events, capacity, milliseconds);
    int filled = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == poller->wake) {
            uint64_t value;
            (void)!read(poller->wake, &value, sizeof(value));
            continue;
        }
        int mask = 0;
        if (events[i].events & (EPOLLIN | EPOLLHUP)) mask |= 1;
        if (events[i].events & EPOLLOUT) mask |= 2;
        if (events[i].events & EPOLLERR) mask |= 4;
        ready[filled++] = (ashlar_ready){.descriptor = events[i].data.fd, .mask = mask};
    }
    return filled;
}

// curl/curl.h: what CURLOPT_OPENSOCKETFUNCTION is given.
struct curl_address {
    int family;
    int type;
    int protocol;
    unsigned int length;
    struct sockaddr address;
};

int ashlar_socket_open(const void *address) {
    const struct curl_address *a = address;
    return socket(a->family, a->type | SOCK_CLOEXEC, a->protocol);
}

void ashlar_socket_close(int descriptor) { close(descriptor); }

int ashlar_socket_is_connected(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    return getpeername(descriptor, (struct sockaddr *)&address, &size) == 0;
}

static int is_private_v4(uint32_t a) {
    return a >> 24 == 0 || a >> 24 == 10 || a >> 24 == 127 || a >> 20 == 0xAC1 || a >> 16 == 0xC0A8 ||
           a >> 16 == 0xA9FE || (a >= 0x64400000u && a <= 0x647FFFFFu) || a >> 28 >= 14;
}

int ashlar_address_is_private(const void *address) {
    const struct curl_address *a = address;
    if (a->family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, &a->address, sizeof(in));
        return is_private_v4(ntohl(in.sin_addr.s_addr));
    }
    if (a->family != AF_INET6) return 1;
    struct sockaddr_in6 in;
    memcpy(&in, &a->address, sizeof(in));
    const uint8_t *b = in.sin6_addr.s6_addr;
    uint32_t last = (uint32_t)b[12] << 24 | (uint32_t)b[13] << 16 | (uint32_t)b[14] << 8 | b[15];
    static const uint8_t zeros[15];
    if (memcmp(b, zeros, 10) == 0 && ((b[10] == 0xFF && b[11] == 0xFF) || (b[10] == 0 && b[11] == 0))) {
        return last <= 1 || is_private_v4(last);  // ::, ::1, mapped, compatible
    }
    if (memcmp(b, "\x00\x64\xFF\x9B\0\0\0\0\0\0\0\0", 12) == 0) return is_private_v4(last);  // RFC 6052
    return (b[0] & 0xFE) == 0xFC || b[0] == 0xFF || (b[0] == 0xFE && (b[1] & 0x80) == 0x80);
}

void ashlar_block_sigpipe(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

#else

int ashlar_poller_open(ashlar_poller *poller) {
    poller->epoll = poller->wake = -1;
    return -1;
}

#endif
