#define _GNU_SOURCE
#include "CAshlarCore.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct start {
    void *value;
    void (*body)(void *);
};

static void *run(void *pointer) {
    struct start start = *(struct start *)pointer;
    free(pointer);
    start.body(start.value);
    return NULL;
}

int ashlar_core_start_thread(void *value, void (*body)(void *)) {
    struct start *start = malloc(sizeof *start);
    if (!start) return ENOMEM;
    start->value = value;
    start->body = body;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // A new thread inherits the signal mask, so it can't receive a signal at any time. Faults of the thread itself stay
    // unblocked: the system would end the process without calling the handlers for crashes.
    sigset_t all, before;
    sigfillset(&all);
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failed = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed) free(start);
    return failed;
}
