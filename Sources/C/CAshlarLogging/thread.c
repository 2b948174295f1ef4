#define _GNU_SOURCE
#include "CAshlarLogging.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

__thread void *ashlar_log_thread_state;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The data for the destructor. On Darwin a thread's variables are freed before the destructors of its keys run, so it
// can't be in `ashlar_log_thread_state`.
struct holder {
    void *value;
    void (*destroy)(void *);
};

static void thread_ends(void *pointer) {
    struct holder last = *(struct holder *)pointer;
    free(pointer);
    ashlar_log_forget_thread_value();
    last.destroy(last.value);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

void ashlar_log_set_thread_value(void *value, void (*destroy)(void *)) {
    pthread_once(&once, make_key);
    ashlar_log_thread_state = value;
    struct holder *holder = malloc(sizeof *holder);
    if (!holder) return;
    *holder = (struct holder){value, destroy};
    if (pthread_setspecific(key, holder) != 0) free(holder);
}

uint64_t ashlar_log_thread_id(void) {
#if defined(__linux__)
    return (uint64_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
    uint64_t identity = 0;
    pthread_threadid_np(NULL, &identity);
    return identity;
#else
    return (uint64_t)(uintptr_t)pthread_self();
#endif
}

// Symbols of Swift's concurrency runtime without a documented Swift name. Apple systems reserve such symbols;
// ASHLAR_LOG_WITHOUT_TASK_NUMBERS compiles them out elsewhere too.
#if defined(__APPLE__) || defined(ASHLAR_LOG_WITHOUT_TASK_NUMBERS)
uint64_t ashlar_log_task_number(void) { return 0; }
#else
__attribute__((swiftcall, weak)) extern void *swift_task_getCurrent(void);
__attribute__((swiftcall, weak)) extern uint64_t swift_task_getJobTaskId(void *task);

uint64_t ashlar_log_task_number(void) {
    if (!swift_task_getCurrent || !swift_task_getJobTaskId) return 0;
    void *task = swift_task_getCurrent();
    return task ? swift_task_getJobTaskId(task) : 0;
}
#endif
