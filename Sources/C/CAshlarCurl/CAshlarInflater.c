#include "CAshlarInflater.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// zlib.h's z_stream; its layout has not changed since 1.0.
typedef struct zlib_stream {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} zlib_stream;

typedef struct {
    const void *src;
    size_t size;
    size_t pos;
} zstd_in;

typedef struct {
    void *dst;
    size_t size;
    size_t pos;
} zstd_out;

static struct {
    int (*init)(zlib_stream *, int, const char *, int);
    int (*inflate)(zlib_stream *, int);
    int (*reset)(zlib_stream *);
    int (*reset_keep)(zlib_stream *);
    int (*end)(zlib_stream *);
    int (*deflate_init)(zlib_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(zlib_stream *, int);
    int (*deflate_end)(zlib_stream *);
} zlib;

static struct {
    void *(*create)(void *, void *, void *);
    int (*decompress)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*destroy)(void *);
} brotli;

static struct {
    void *(*create)(void);
    size_t (*free)(void *);
    size_t (*decompress)(void *, zstd_out *, zstd_in *);
    unsigned int (*is_error)(size_t);
} zstd;

static int has_zlib, has_deflate, has_brotli, has_zstd;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(void *library, const char *name, void *place) {
    *(void **)place = library ? dlsym(library, name) : NULL;
    return *(void **)place != NULL;
}

static void load(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    has_zlib = find(library, "inflateInit2_", &zlib.init) && find(library, "inflate", &zlib.inflate) &&
               find(library, "inflateReset", &zlib.reset) && find(library, "inflateEnd", &zlib.end);
    has_deflate = has_zlib && find(library, "inflateResetKeep", &zlib.reset_keep) &&
                  find(library, "deflateInit2_", &zlib.deflate_init) && find(library, "deflate", &zlib.deflate) &&
                  find(library, "deflateEnd", &zlib.deflate_end);
    library = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
    has_brotli = find(library, "BrotliDecoderCreateInstance", &brotli.create) &&
                 find(library, "BrotliDecoderDecompressStream", &brotli.decompress) &&
                 find(library, "BrotliDecoderDestroyInstance", &brotli.destroy);
    library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    has_zstd = find(library, "ZSTD_createDStream", &zstd.create) && find(library, "ZSTD_freeDStream", &zstd.free) &&
               find(library, "ZSTD_decompressStream", &zstd.decompress) &&
               find(library, "ZSTD_isError", &zstd.is_error);
}

int ashlar_inflater_available(int format) {
    pthread_once(&once, load);
    switch (format) {
    case ASHLAR_GZIP:
    case ASHLAR_DEFLATE: return has_zlib;
    case ASHLAR_BROTLI: return has_brotli;
    case ASHLAR_ZSTD: return has_zstd;
    case ASHLAR_MESSAGES: return has_deflate;
    default: return 0;
    }
}

struct ashlar_inflater {
    int format;
    int started;
    int ended;
    zlib_stream zlib;
    void *state;
};

ashlar_inflater *ashlar_inflater_open(int format) {
    if (!ashlar_inflater_available(format)) return NULL;
    ashlar_inflater *inflater = calloc(1, sizeof(*inflater));
    if (!inflater) return NULL;
    inflater->format = format;
    if (format == ASHLAR_BROTLI) inflater->state = brotli.create(NULL, NULL, NULL);
    if (format == ASHLAR_ZSTD) inflater->state = zstd.create();
    if ((format == ASHLAR_BROTLI || format == ASHLAR_ZSTD) && !inflater->state) {
        free(inflater);
        return NULL;
    }
    return inflater;
}

void ashlar_inflater_close(ashlar_inflater *inflater) {
    if (inflater->started) zlib.end(&inflater->zlib);
    if (inflater->format == ASHLAR_BROTLI) brotli.destroy(inflater->state);
    if (inflater->format == ASHLAR_ZSTD) zstd.free(inflater->state);
    free(inflater);
}

// Runs zlib's inflate or deflate on a step, and returns its result.
static int run_zlib(int (*function)(zlib_stream *, int), zlib_stream *zlib, int flush, ashlar_step *step) {
    zlib->next_in = step->input;
    zlib->avail_in = (unsigned int)step->input_size;
    zlib->next_out = step->output;
    zlib->avail_out = (unsigned int)step->output_size;
    int result = function(zlib, flush);
    step->consumed = step->input_size - zlib->avail_in;
    step->produced = step->output_size - zlib->avail_out;
    // -5 (no progress) only means that more input is needed.
    return result == -5 ? 0 : result;
}

static int step_zlib(ashlar_inflater *i, ashlar_step *step) {
    if (!i->started) {
        // 31: gzip only. "deflate" is meant to be zlib (15), but some servers send it raw (-15): a zlib head has
        // method 8 in its low four bits.
        int isZlib = i->format == ASHLAR_DEFLATE && (step->input[0] & 15) == 8;
        int window = i->format == ASHLAR_GZIP ? 31 : isZlib ? 15 : -15;
        if (zlib.init(&i->zlib, window, "1.2.11", (int)sizeof(zlib_stream)) != 0) return ASHLAR_INFLATER_CORRUPTED;
        i->started = 1;
    }
    if (i->ended) {
        if (i->format == ASHLAR_DEFLATE) return ASHLAR_INFLATER_CORRUPTED;
        // The blocks of messages refer to those before, also behind a final one.
        if ((i->format == ASHLAR_GZIP ? zlib.reset : zlib.reset_keep)(&i->zlib) != 0) return ASHLAR_INFLATER_CORRUPTED;
        i->ended = 0;
    }
    int result = run_zlib(zlib.inflate, &i->zlib, 0, step);
    i->ended = result == 1;
    return i->ended ? ASHLAR_INFLATER_END : result == 0 ? ASHLAR_INFLATER_MORE : ASHLAR_INFLATER_CORRUPTED;
}

static int step_brotli(ashlar_inflater *i, ashlar_step *step) {
    if (i->ended) return ASHLAR_INFLATER_CORRUPTED;
    const uint8_t *input = step->input;
    uint8_t *output = step->output;
    size_t in = step->input_size, out = step->output_size;
    int result = brotli.decompress(i->state, &in, &input, &out, &output, NULL);
    step->consumed = step->input_size - in;
    step->produced = step->output_size - out;
    if (result == 0) return ASHLAR_INFLATER_CORRUPTED;
    i->ended = result == 1;
    return i->ended ? ASHLAR_INFLATER_END : ASHLAR_INFLATER_MORE;
}

static int step_zstd(ashlar_inflater *i, ashlar_step *step) {
    zstd_in in = {.src = step->input, .size = step->input_size};
    zstd_out out = {.dst = step->output, .size = step->output_size};
    size_t result = zstd.decompress(i->state, &out, &in);
    step->consumed = in.pos;
    step->produced = out.pos;
    if (zstd.is_error(result)) return ASHLAR_INFLATER_CORRUPTED;
    return result == 0 ? ASHLAR_INFLATER_END : ASHLAR_INFLATER_MORE;
}

int ashlar_inflater_step(ashlar_inflater *inflater, ashlar_step *step) {
    step->consumed = step->produced = 0;
    int isZlib = inflater->format != ASHLAR_BROTLI && inflater->format != ASHLAR_ZSTD;
    if (isZlib && step->input_size == 0 && (!inflater->started || inflater->ended)) return ASHLAR_INFLATER_MORE;
    if (isZlib) return step_zlib(inflater, step);
    return inflater->format == ASHLAR_BROTLI ? step_brotli(inflater, step) : step_zstd(inflater, step);
}

struct ashlar_deflater {
    zlib_stream zlib;
};

ashlar_deflater *ashlar_deflater_open(int window_bits, int memory_level) {
    if (!ashlar_inflater_available(ASHLAR_MESSAGES)) return NULL;
    ashlar_deflater *deflater = calloc(1, sizeof(*deflater));
    if (!deflater) return NULL;
    // Level 6, method 8, the default strategy; a negative number means no head.
    int size = (int)sizeof(zlib_stream);
    if (zlib.deflate_init(&deflater->zlib, 6, 8, -window_bits, memory_level, 0, "1.2.11", size) == 0) return deflater;
    free(deflater);
    return NULL;
}

void ashlar_deflater_close(ashlar_deflater *deflater) {
    zlib.deflate_end(&deflater->zlib);
    free(deflater);
}

int ashlar_deflater_step(ashlar_deflater *deflater, ashlar_step *step) {
    return run_zlib(zlib.deflate, &deflater->zlib, 2, step) == 0 ? 0 : -1;  // Z_SYNC_FLUSH
}

#endif
