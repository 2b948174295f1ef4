#define _GNU_SOURCE
#include "CAshlarEventBus.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_SIGNAL 64

static int pipe_ends[2] = {-1, -1};
static pid_t owner;
static struct sigaction old_actions[LARGEST_SIGNAL + 1];

/// Writes the number of the signal to the pipe; only calls functions that are safe in a handler.
static void note_signal(int number) {
    // A child between fork and exec has the same handler and pipe, but its signals are its own.
    if (getpid() != owner) return;
    const int error = errno;
    const unsigned char byte = (unsigned char)number;
    if (write(pipe_ends[1], &byte, 1) < 0) {
        // The pipe is full of signals that nobody has read yet; one more has no effect.
    }
    errno = error;
}

static void prepare(int descriptor, int flags) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | flags);
}

int ashlar_bus_open_signal_pipe(void) {
    if (pipe_ends[0] >= 0) return 0;
    int ends[2];
    if (pipe(ends) != 0) return errno;
    prepare(ends[0], 0);
    prepare(ends[1], O_NONBLOCK);
    pipe_ends[0] = ends[0];
    pipe_ends[1] = ends[1];
    owner = getpid();
    return 0;
}

int ashlar_bus_next_signal(void) {
    unsigned char byte = 0;
    while (1) {
        const ssize_t count = read(pipe_ends[0], &byte, 1);
        if (count == 1) return byte;
        if (count == 0 || errno != EINTR) return -1;
    }
}

int ashlar_bus_catch_signal(int number) {
    struct sigaction action;
    if (number < 1 || number > LARGEST_SIGNAL) return EINVAL;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, &old_actions[number]) == 0 ? 0 : errno;
}

void ashlar_bus_release_signal(int number) {
    struct sigaction current;
    // Another part of the program may have set a handler in the meantime; it is preserved.
    if (sigaction(number, NULL, &current) == 0 && current.sa_handler == note_signal)
        sigaction(number, &old_actions[number], NULL);
}
