// error: 'fork' is unavailable
// triple: arm64-apple-tvos18.0
// tvOS has no fork.
#include <unistd.h>

int spawn(void) { return fork(); }
