#include "CAshlarLogging.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// A file and what it is known by: a host may have closed it, and its number be another file's.
struct known_file {
    atomic_int descriptor;
    atomic_ullong device, number;
};

static struct known_file line_file = {-1, 0, 0};
static struct known_file state_file = {-1, 0, 0};
static atomic_llong state_offset = 0;

static void know(struct known_file *file, int descriptor) {
    struct stat status;
    atomic_store(&file->descriptor, -1);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return;
    atomic_store(&file->device, (unsigned long long)status.st_dev);
    atomic_store(&file->number, (unsigned long long)status.st_ino);
    atomic_store(&file->descriptor, descriptor);
}

// The descriptor, if it still is the file; async-signal-safe as fstat is.
static int known_descriptor(struct known_file *file) {
    struct stat status;
    int descriptor = atomic_load(&file->descriptor);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return -1;
    if ((unsigned long long)status.st_dev != atomic_load(&file->device)) return -1;
    return (unsigned long long)status.st_ino == atomic_load(&file->number) ? descriptor : -1;
}

void ashlar_log_set_signal_descriptor(int descriptor) { know(&line_file, descriptor); }

int ashlar_log_signal_write(const void *text, size_t count) {
    int kept = errno;
    int descriptor = known_descriptor(&line_file);
    if (descriptor < 0) {
        errno = kept;
        return -1;
    }
    struct iovec parts[2] = {{(void *)text, count}, {(void *)"\n", 1}};
    ssize_t written = writev(descriptor, parts, 2);
    errno = kept;
    return written == (ssize_t)count + 1 ? 0 : -1;
}

void ashlar_log_set_state_descriptor(int descriptor, int64_t offset) {
    atomic_store(&state_offset, offset);
    know(&state_file, descriptor);
}

static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM};
#define FATAL_COUNT ((int)(sizeof fatal_signals / sizeof fatal_signals[0]))
static struct sigaction previous[FATAL_COUNT];
static atomic_int installed = 0;

static void note_signal(int signal, siginfo_t *information, void *context) {
    int kept = errno;
    int descriptor = known_descriptor(&state_file);
    if (descriptor >= 0) {
        unsigned char bytes[2] = {2, (unsigned char)signal};
        ssize_t ignored = pwrite(descriptor, bytes, 2, (off_t)atomic_load(&state_offset));
        (void)ignored;
    }
    errno = kept;
    for (int i = 0; i < FATAL_COUNT; i++) {
        if (fatal_signals[i] != signal) continue;
        if (previous[i].sa_flags & SA_SIGINFO) {
            previous[i].sa_sigaction(signal, information, context);
        } else if (previous[i].sa_handler == SIG_DFL) {
            // The signal is blocked here: raised again, it takes its default course when this handler returns.
            sigaction(signal, &previous[i], NULL);
            raise(signal);
        } else if (previous[i].sa_handler != SIG_IGN) {
            previous[i].sa_handler(signal);
        }
        return;
    }
}

int ashlar_log_install_signal_handlers(void) {
    if (atomic_exchange(&installed, 1)) return 0;
    int failures = 0;
    for (int i = 0; i < FATAL_COUNT; i++) {
        if (sigaction(fatal_signals[i], NULL, &previous[i]) != 0) {
            failures++;
            continue;
        }
        // A signal that the program ignores ends nothing, so there is nothing to note.
        if (!(previous[i].sa_flags & SA_SIGINFO) && previous[i].sa_handler == SIG_IGN) continue;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = note_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        if (sigaction(fatal_signals[i], &action, NULL) != 0) failures++;
    }
    return failures;
}
