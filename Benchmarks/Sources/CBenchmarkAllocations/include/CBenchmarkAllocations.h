#ifndef CBENCHMARK_ALLOCATIONS_H
#define CBENCHMARK_ALLOCATIONS_H

#include <stdint.h>

/// The number of heap allocations of the process so far, or -1 if the platform can't count them.
int64_t benchmark_allocation_count(void);

/// The bytes allocated and not freed, or -1 if the platform can't count them.
int64_t benchmark_live_bytes(void);

/// Does nothing, but the compiler must assume that it reads the value.
void benchmark_black_hole(const void *value);

#endif
