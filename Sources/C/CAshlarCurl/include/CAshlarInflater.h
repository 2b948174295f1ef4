// Inflates compressed bodies with the system's libz, libbrotlidec and libzstd, which libcurl itself uses.
//
// They are opened at run time; a missing library makes its format unavailable. libcurl's own inflating isn't used: it
// accepts a gzip body that ends early, and doesn't report how far a body was inflated.
#ifndef CASHLARINFLATER_H
#define CASHLARINFLATER_H

#include <stddef.h>
#include <stdint.h>

// ASHLAR_MESSAGES is deflate without a head and an end, as the messages of a WebSocket use it (RFC 7692).
enum { ASHLAR_GZIP = 1, ASHLAR_DEFLATE = 2, ASHLAR_BROTLI = 3, ASHLAR_ZSTD = 4, ASHLAR_MESSAGES = 5 };
enum { ASHLAR_INFLATER_MORE = 0, ASHLAR_INFLATER_END = 1, ASHLAR_INFLATER_CORRUPTED = -1 };

typedef struct ashlar_inflater ashlar_inflater;

// The bytes to read and the space to fill, and the numbers of bytes that a step has read and written.
typedef struct ashlar_step {
    const uint8_t *input;
    size_t input_size;
    uint8_t *output;
    size_t output_size;
    size_t consumed;
    size_t produced;
} ashlar_step;

// Whether a format can be inflated in this process.
int ashlar_inflater_available(int format);

// Returns NULL if the format is unavailable or there is no memory.
ashlar_inflater *ashlar_inflater_open(int format);
void ashlar_inflater_close(ashlar_inflater *inflater);

// Inflates as much as fits into the output, and returns ASHLAR_INFLATER_….
// Another gzip member or zstd frame may follow the end of one.
int ashlar_inflater_step(ashlar_inflater *inflater, ashlar_step *step);

// Deflates messages; exists if ASHLAR_MESSAGES is available.
typedef struct ashlar_deflater ashlar_deflater;

// Returns NULL if there is no memory or zlib; `window_bits` is 9 to 15, `memory_level` 1 to 9.
ashlar_deflater *ashlar_deflater_open(int window_bits, int memory_level);
void ashlar_deflater_close(ashlar_deflater *deflater);

// Deflates as much as fits into the output, up to the end of a byte; returns 0 on success. All of the input has been
// written once the output isn't full.
int ashlar_deflater_step(ashlar_deflater *deflater, ashlar_step *step);

#endif
