// Waits for sockets and for calls from other threads: epoll and eventfd, which Swift's Glibc module lacks.
#ifndef CASHLARPOLLER_H
#define CASHLARPOLLER_H

#include <stdint.h>

typedef struct ashlar_poller {
    int epoll;
    int wake;
} ashlar_poller;

typedef struct ashlar_ready {
    int descriptor;
    int mask; // 1 readable or hung up, 2 writable, 4 failed: libcurl's CURL_CSELECT bits
} ashlar_ready;

// Returns 0, or -1 if the process has no descriptors left.
int ashlar_poller_open(ashlar_poller *poller);
void ashlar_poller_close(ashlar_poller poller);

// Makes `ashlar_poller_wait` return; called from any thread.
void ashlar_poller_wake(ashlar_poller poller);

// Watches a descriptor for reading (1), writing (2) or both (3); `known` is whether it is already watched.
void ashlar_poller_watch(ashlar_poller poller, int descriptor, int what, int known);
void ashlar_poller_forget(ashlar_poller poller, int descriptor);

// Waits at most `milliseconds` (-1: without limit) and returns the number of descriptors that are ready, without wake-ups.
int ashlar_poller_wait(ashlar_poller poller, ashlar_ready *ready, int capacity, int milliseconds);

// Opens a socket for a `struct curl_sockaddr`, or returns -1.
int ashlar_socket_open(const void *address);
void ashlar_socket_close(int descriptor);

// Whether the peer has accepted the connection.
int ashlar_socket_is_connected(int descriptor);

#endif
