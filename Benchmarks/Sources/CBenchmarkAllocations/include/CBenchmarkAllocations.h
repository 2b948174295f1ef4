#ifndef CBENCHMARK_ALLOCATIONS_H
#define CBENCHMARK_ALLOCATIONS_H

#include <stdint.h>

/// The number of heap allocations the process has made so far, or -1 where they cannot be counted.
int64_t benchmark_allocation_count(void);

/// The bytes handed out by the heap and not given back, or -1 where they cannot be counted.
int64_t benchmark_live_bytes(void);

/// Does nothing that a compiler could know of.
void benchmark_black_hole(const void *value);

#endif
