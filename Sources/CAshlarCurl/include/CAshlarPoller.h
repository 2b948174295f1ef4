// Waits for sockets and for a call from another thread: epoll and an eventfd, which Swift's Glibc module leaves out.
#ifndef CASHLARPOLLER_H
#define CASHLARPOLLER_H

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
void ashlar_poller_close(const ashlar_poller *poller);

// Makes a waiting `ashlar_poller_wait` return; from any thread.
void ashlar_poller_wake(const ashlar_poller *poller);

// Watches a descriptor for reading (1), writing (2) or both (3); `known` says whether it is watched already.
void ashlar_poller_watch(const ashlar_poller *poller, int descriptor, int what, int known);
void ashlar_poller_forget(const ashlar_poller *poller, int descriptor);

// Waits at most `milliseconds` (-1 for ever) and returns how many of `ready` were filled; wake-ups are not among them.
int ashlar_poller_wait(const ashlar_poller *poller, ashlar_ready *ready, int capacity, int milliseconds);

// Opens a socket for a `struct curl_sockaddr`, or returns -1.
int ashlar_socket_open(const void *address);
void ashlar_socket_close(int descriptor);

// Whether the other end has accepted the connection.
int ashlar_socket_is_connected(int descriptor);

// Whether a `struct curl_sockaddr` is an address that only this machine or its own network knows: this host, loopback,
// link-local, private (RFC 1918), shared (RFC 6598), unique local (RFC 4193), multicast, and IPv4 ones mapped into IPv6.
int ashlar_address_is_private(const void *address);

// Blocks SIGPIPE for the calling thread, so that writing to a closed connection is an error and no death.
void ashlar_block_sigpipe(void);

#endif
