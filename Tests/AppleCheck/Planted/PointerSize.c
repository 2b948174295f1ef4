// error: static assertion failed
// triple: arm64_32-apple-watchos11.0
// Pointers have 32 bits on this system.
_Static_assert(sizeof(void *) == 8, "a pointer does not fit");
