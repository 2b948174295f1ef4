#define _GNU_SOURCE
#include "CAshlarLogging.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

// A file and its identity: the app may have closed the descriptor and reused its number. A forked child has the same
// handlers and descriptors, but the file isn't its own.
struct known_file {
    atomic_int descriptor, process;
    atomic_ullong device, number;
};

static struct known_file line_file = {-1, 0, 0, 0};
static struct known_file state_file = {-1, 0, 0, 0};
// A run that ends after the next one has begun doesn't take the file of the next one away.
static atomic_uintptr_t line_owner = 0;
// Whether a signal without a handler is ending the process.
static atomic_int is_ending = 0;
// Whether the recorded signal is that of an `abort` whose handler returned, or of a `raise` that looks like one.
static atomic_int is_doubtful = 0;
// The file to create for the first line of a handler, if lines can't go to `line_file`.
static char line_path[1024];
static atomic_int has_line_path = 0;

static int is_own(struct known_file *file) { return atomic_load(&file->process) == (int)getpid(); }

static void know(struct known_file *file, int descriptor) {
    struct stat status;
    atomic_store(&file->descriptor, -1);
    atomic_store(&file->process, (int)getpid());
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return;
    atomic_store(&file->device, (unsigned long long)status.st_dev);
    atomic_store(&file->number, (unsigned long long)status.st_ino);
    atomic_store(&file->descriptor, descriptor);
}

// Returns the descriptor if it still refers to the file. Async-signal-safe, as fstat is.
static int known_descriptor(struct known_file *file) {
    struct stat status;
    int descriptor = atomic_load(&file->descriptor);
    if (descriptor < 0 || !is_own(file) || fstat(descriptor, &status) != 0) return -1;
    if ((unsigned long long)status.st_dev != atomic_load(&file->device)) return -1;
    return (unsigned long long)status.st_ino == atomic_load(&file->number) ? descriptor : -1;
}

void ashlar_log_set_signal_file(const void *owner, int descriptor, const char *path) {
    // The file that a handler opened serves the next segment, too.
    if (path && descriptor < 0 && is_own(&line_file) && ashlar_log_owns_signal_file(owner) &&
        atomic_load(&has_line_path) && strcmp(path, line_path) == 0)
        return;
    atomic_store(&has_line_path, 0);
    atomic_store(&line_owner, (uintptr_t)owner);
    know(&line_file, descriptor);
    if (!path || strlen(path) >= sizeof line_path) return;
    strcpy(line_path, path);
    atomic_store(&has_line_path, 1);
}

int ashlar_log_owns_signal_file(const void *owner) { return atomic_load(&line_owner) == (uintptr_t)owner; }

void ashlar_log_release_signal_file(const void *owner) {
    if (ashlar_log_owns_signal_file(owner)) ashlar_log_set_signal_file(NULL, -1, NULL);
}

// open(2) is async-signal-safe too.
static int line_descriptor(void) {
    int descriptor = known_descriptor(&line_file);
    if (descriptor >= 0 || !is_own(&line_file) || !atomic_load(&has_line_path)) return descriptor;
    descriptor = open(line_path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (descriptor >= 0) know(&line_file, descriptor);
    return descriptor;
}

int ashlar_log_signal_write(const void *text, size_t count) {
    int saved = errno;
    int descriptor = line_descriptor();
    // A zero byte would mark the end of the log, so it is written as an escape.
    struct iovec parts[32];
    int used = 0;
    size_t total = 0, start = 0;
    while (used < 29) {
        const char *zero = count > start ? memchr((const char *)text + start, 0, count - start) : NULL;
        size_t end = zero ? (size_t)(zero - (const char *)text) : count;
        parts[used++] = (struct iovec){(char *)text + start, end - start};
        total += end - start;
        if (!zero) break;
        parts[used++] = (struct iovec){(void *)"\\x00", 4};
        total += 4;
        start = end + 1;
    }
    parts[used++] = (struct iovec){(void *)"\n", 1};
    ssize_t written = descriptor < 0 ? -1 : writev(descriptor, parts, used);
    errno = saved;
    return written == (ssize_t)total + 1 ? 0 : -1;
}

// MARK: The recorded signal

// The byte of the state file that contains the signal, behind what Swift writes; 0 if none is recorded.
static const off_t signal_place = 128;

void ashlar_log_record_signal(int descriptor, int signal) {
    unsigned char byte = (unsigned char)signal;
    ssize_t ignored = pwrite(descriptor, &byte, 1, signal_place);
    (void)ignored;
}

int ashlar_log_recorded_signal(int descriptor) {
    unsigned char byte = 0;
    return pread(descriptor, &byte, 1, signal_place) == 1 ? byte : 0;
}

void ashlar_log_set_state_file(int descriptor) {
    atomic_store(&is_doubtful, 0);
    know(&state_file, descriptor);
}

void ashlar_log_end_state_file(int descriptor) {
    if (atomic_load(&state_file.descriptor) != descriptor) return;
    if (atomic_exchange(&is_doubtful, 0)) ashlar_log_record_signal(descriptor, 0);
}

void ashlar_log_release_state_file(int descriptor) {
    if (atomic_load(&state_file.descriptor) == descriptor) ashlar_log_set_state_file(-1);
}

// MARK: Handlers

// Signals whose default ends the process.
static const int fatal_signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,  SIGSEGV,
                                    SIGTERM, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGVTALRM, SIGPROF, SIGUSR2};
#define FATAL_COUNT ((int)(sizeof fatal_signals / sizeof fatal_signals[0]))
static struct sigaction previous[FATAL_COUNT];
static atomic_int installed = 0;

static int is_default(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

// Whether an instruction caused the signal and causes it again when a handler returns. A process can also send these
// signals, and then nothing repeats them.
static int is_repeated(int signal, const siginfo_t *information) {
    if (!information || information->si_code <= 0) return 0;
#if defined(__APPLE__)
    if (information->si_code >= SI_USER) return 0;
#endif
    switch (signal) {
    case SIGILL:
    case SIGFPE:
    case SIGSEGV: return 1;
#if defined(BUS_MCEERR_AO)
    // A damaged page that the thread didn't access.
    case SIGBUS: return information->si_code != BUS_MCEERR_AO;
#else
    case SIGBUS: return 1;
#endif
#if defined(__aarch64__)
    // Elsewhere, the thread continues behind the instruction.
    case SIGTRAP: return 1;
#endif
    default: return 0;
    }
}

// Whether the process ends although a handler has returned: the handler of a fault restored the default action, and the
// fault is repeated.
static int will_end(int signal, const siginfo_t *information) {
    struct sigaction now;
    if (!is_repeated(signal, information)) return 0;
    return sigaction(signal, NULL, &now) == 0 && is_default(&now);
}

// Whether `abort` or `raise` sent the signal. The handler of an `abort` may return, but `abort` doesn't: it ends the process.
// The two look alike; after a `raise`, the mark stays until the next handled signal or the end of the run.
static int is_abort(int signal, const siginfo_t *information) {
    if (signal != SIGABRT || !information) return 0;
#if defined(SI_TKILL)
    return information->si_code == SI_TKILL;
#else
    return information->si_pid == 0 || information->si_pid == getpid();
#endif
}

static void note_signal(int signal, siginfo_t *information, void *context) {
    int saved = errno, index = 0;
    while (index < FATAL_COUNT && fatal_signals[index] != signal) index++;
    if (index == FATAL_COUNT) return;
    struct sigaction handler = previous[index];
    int descriptor = known_descriptor(&state_file);
    if (descriptor >= 0) {
        // Before the handler, which may end the process. The signal of another thread that ends the process remains.
        if (is_default(&handler)) atomic_store(&is_ending, 1);
        if (is_default(&handler) || !atomic_load(&is_ending)) ashlar_log_record_signal(descriptor, signal);
        ashlar_log_write_backtrace(signal, information ? information->si_addr : NULL, context);
    }
    errno = saved;
    if (is_default(&handler)) {
        // The default action follows when this handler returns. The signal of a repeated fault has the fault's details, such
        // as the address, which the system's report shows.
        sigaction(signal, &handler, NULL);
        if (!is_repeated(signal, information)) raise(signal);
        return;
    }
    if (handler.sa_flags & SA_RESETHAND) {
        previous[index].sa_flags = 0;
        previous[index].sa_handler = SIG_DFL;
    }
    if (handler.sa_flags & SA_SIGINFO) {
        handler.sa_sigaction(signal, information, context);
    } else if (handler.sa_handler != SIG_IGN) {
        handler.sa_handler(signal);
    }
    saved = errno;
    if (descriptor >= 0 && descriptor == known_descriptor(&state_file) && !will_end(signal, information)) {
        int aborts = is_abort(signal, information);
        if (!atomic_load(&is_ending)) {
            if (!aborts) ashlar_log_record_signal(descriptor, 0);
            atomic_store(&is_doubtful, aborts);
        }
        ashlar_log_end_backtrace(!aborts);
    }
    errno = saved;
}

// MARK: Threads

// A handler can't run on the stack that has overflowed. Each thread that logs gets a second stack until its end.
#define STACK_BYTES (64 * 1024)
#define GUARD_BYTES (64 * 1024)  // a multiple of each system's page size
__thread int ashlar_log_has_signal_stack;
#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)
void ashlar_log_add_signal_stack(void) { ashlar_log_has_signal_stack = 1; }  // sigaltstack(2) is prohibited.
#else
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void remove_stack(void *memory) {
    stack_t current;
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &current) == 0 && (char *)current.ss_sp == (char *)memory + GUARD_BYTES) sigaltstack(&none, NULL);
    munmap(memory, GUARD_BYTES + STACK_BYTES);
}

static void make_stack_key(void) { pthread_key_create(&stack_key, remove_stack); }

void ashlar_log_add_signal_stack(void) {
    stack_t current;
    if (!atomic_load(&installed)) return;
    ashlar_log_has_signal_stack = 1;
    // The app, a sanitizer or Swift's backtracer may have set one.
    if (sigaltstack(NULL, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return;
    char *memory = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    pthread_once(&stack_once, make_stack_key);
    stack_t stack = {.ss_sp = memory + GUARD_BYTES, .ss_size = STACK_BYTES};
    mprotect(memory, GUARD_BYTES, PROT_NONE);
    if (pthread_setspecific(stack_key, memory) != 0 || sigaltstack(&stack, NULL) != 0) {
        pthread_setspecific(stack_key, NULL);
        munmap(memory, GUARD_BYTES + STACK_BYTES);
    }
}
#endif

int ashlar_log_install_signal_handlers(void) {
    ashlar_log_collect_images();
    if (atomic_exchange(&installed, 1)) return 0;
    int failures = 0;
    for (int i = 0; i < FATAL_COUNT; i++) {
        if (sigaction(fatal_signals[i], NULL, &previous[i]) != 0) {
            failures++;
            continue;
        }
        // An ignored signal doesn't end the process.
        if (!(previous[i].sa_flags & SA_SIGINFO) && previous[i].sa_handler == SIG_IGN) continue;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = note_signal;
        // The app's handler runs under the conditions that it asked for. Only after a stack overflow, it can't.
        action.sa_flags = SA_SIGINFO | (previous[i].sa_flags & (SA_RESTART | SA_NODEFER | SA_ONSTACK));
        if (is_default(&previous[i]) || fatal_signals[i] == SIGSEGV || fatal_signals[i] == SIGBUS)
            action.sa_flags |= SA_ONSTACK;
        action.sa_mask = previous[i].sa_mask;
        if (sigaction(fatal_signals[i], &action, NULL) != 0) failures++;
    }
    return failures;
}
