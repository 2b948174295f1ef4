#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CAshlarPoller.h"

#if defined(__linux__)

#include <errno.h>
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
    // Edge-triggered: each write is reported once, so the counter needn't be read.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = poller->wake};
    if (poller->epoll >= 0 && poller->wake >= 0 &&
        epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->wake, &event) == 0) {
        return 0;
    }
    ashlar_poller_close(*poller);
    return -1;
}

void ashlar_poller_close(ashlar_poller poller) {
    if (poller.epoll >= 0) close(poller.epoll);
    if (poller.wake >= 0) close(poller.wake);
}

void ashlar_poller_wake(ashlar_poller poller) {
    uint64_t one = 1;
    // The counter would be full after 2^64 wake-ups.
    while (write(poller.wake, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

void ashlar_poller_watch(ashlar_poller poller, int descriptor, int what, int known) {
    struct epoll_event event = {.events = 0, .data.fd = descriptor};
    if (what & 1) event.events |= EPOLLIN;
    if (what & 2) event.events |= EPOLLOUT;
    if (known && epoll_ctl(poller.epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return;
    if (epoll_ctl(poller.epoll, EPOLL_CTL_ADD, descriptor, &event) < 0 && errno == EEXIST) {
        epoll_ctl(poller.epoll, EPOLL_CTL_MOD, descriptor, &event);
    }
}

void ashlar_poller_forget(ashlar_poller poller, int descriptor) {
    epoll_ctl(poller.epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int ashlar_poller_wait(ashlar_poller poller, ashlar_ready *ready, int capacity, int milliseconds) {
    struct epoll_event events[64];
    if (capacity > 64) capacity = 64;
    int count = epoll_wait(poller.epoll, events, capacity, milliseconds);
    int filled = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == poller.wake) continue;
        int mask = 0;
        if (events[i].events & (EPOLLIN | EPOLLHUP)) mask |= 1;
        if (events[i].events & EPOLLOUT) mask |= 2;
        if (events[i].events & EPOLLERR) mask |= 4;
        ready[filled++] = (ashlar_ready){.descriptor = events[i].data.fd, .mask = mask};
    }
    return filled;
}

// The argument of CURLOPT_OPENSOCKETFUNCTION (curl/curl.h).
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

#else

int ashlar_poller_open(ashlar_poller *poller) {
    poller->epoll = poller->wake = -1;
    return -1;
}

#endif
