#define _GNU_SOURCE
#include "CAshlarEventBus.h"

#include <pthread.h>
#include <stddef.h>

_Thread_local struct ashlar_bus_thread ashlar_bus_thread_state = {0};

void ashlar_bus_find_stack(struct ashlar_bus_thread *thread) {
    size_t size = 0;
#ifdef __APPLE__
    pthread_t self = pthread_self();
    size = pthread_get_stacksize_np(self);
    thread->stack_low = (uintptr_t)pthread_get_stackaddr_np(self) - size;
#else
    pthread_attr_t attributes;
    void *low = NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &low, &size) != 0) size = 0;
    pthread_attr_destroy(&attributes);
    thread->stack_low = (uintptr_t)low;
#endif
    thread->stack_reserve = size / 4 < 128 * 1024 ? size / 4 : 128 * 1024;
}
