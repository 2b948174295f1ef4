// The functions of the C library that AshlarCore's portable folders call.
#include <stddef.h>
void *malloc(size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
int memcmp(const void *left, const void *right, size_t count);
