// Counts heap allocations by wrapping glibc's allocator, which is also exported under __libc names.
#include "CBenchmarkAllocations.h"

void benchmark_black_hole(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }

#if defined(__GLIBC__)
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic int64_t count;
static _Atomic int64_t live;

static void *counted(void *block) {
    if (block) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&live, (int64_t)malloc_usable_size(block), memory_order_relaxed);
    }
    return block;
}

static void forget(void *block) {
    if (block) atomic_fetch_sub_explicit(&live, (int64_t)malloc_usable_size(block), memory_order_relaxed);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t n, size_t size) { return counted(__libc_calloc(n, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *realloc(void *block, size_t size) {
    int64_t before = block ? (int64_t)malloc_usable_size(block) : 0;
    void *result = __libc_realloc(block, size);
    if (result || size == 0) atomic_fetch_sub_explicit(&live, before, memory_order_relaxed);
    return counted(result);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *block = counted(__libc_memalign(alignment, size));
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

void free(void *block) {
    forget(block);
    __libc_free(block);
}

int64_t benchmark_allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
int64_t benchmark_live_bytes(void) { return atomic_load_explicit(&live, memory_order_relaxed); }
#else
int64_t benchmark_allocation_count(void) { return -1; }
int64_t benchmark_live_bytes(void) { return -1; }
#endif
