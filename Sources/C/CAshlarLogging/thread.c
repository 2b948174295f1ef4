#define _GNU_SOURCE
#include "CAshlarLogging.h"

#include <pthread.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

static __thread struct ashlar_log_thread numbers;

struct ashlar_log_thread *ashlar_log_current_thread(void) {
    if (numbers.identity) return &numbers;
#if defined(__linux__)
    numbers.identity = (uint64_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
    pthread_threadid_np(NULL, &numbers.identity);
#else
    numbers.identity = (uint64_t)(uintptr_t)pthread_self();
#endif
    return &numbers;
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
