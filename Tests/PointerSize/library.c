// What the embedded standard library expects from its platform and WASI's C library does not have.
#include <stdint.h>
#include <stdlib.h>

const char *_swift_stdlib_strtod_clocale(const char *text, double *result) {
    char *end;
    *result = strtod(text, &end);
    return end == text ? NULL : end;
}

void arc4random_buf(void *bytes, size_t count) {
    // Hashes need no chance here, and equal output needs the same order in every run.
    for (size_t i = 0; i < count; i++) ((uint8_t *)bytes)[i] = (uint8_t)(i * 37 + 11);
}
