#include "CAshlarLogging.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// zlib is opened at run time, so that programs don't depend on it.
static void *zlib(void) {
    static const char *const names[] = {"libz.so.1", "libz.so", "/usr/lib/libz.1.dylib"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

int ashlar_log_gzip(int source, int64_t *offset, int target) {
    void *library = zlib();
    if (!library) return ENOSYS;
    void *(*open_stream)(int, const char *) = (void *(*)(int, const char *))dlsym(library, "gzdopen");
    int (*write_stream)(void *, const void *, unsigned) = (int (*)(void *, const void *, unsigned))dlsym(library, "gzwrite");
    int (*close_stream)(void *) = (int (*)(void *))dlsym(library, "gzclose");
    if (!open_stream || !write_stream || !close_stream) return ENOSYS;
    int out = fcntl(target, F_DUPFD_CLOEXEC, 0);
    void *stream = out < 0 ? NULL : open_stream(out, "ab6");
    if (!stream) {
        int failed = errno ? errno : ENOMEM;
        if (out >= 0) close(out);
        return failed;
    }
    char buffer[65536];
    int failed = 0;
    off_t position = (off_t)*offset;
    for (;;) {
        ssize_t count = pread(source, buffer, sizeof buffer, position);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            if (count < 0) failed = errno;
            break;
        }
        if (write_stream(stream, buffer, (unsigned)count) != (int)count) {
            failed = EIO;
            break;
        }
        position += count;
    }
    if (close_stream(stream) != 0 && !failed) failed = EIO;
    if (!failed) *offset = position;
    return failed;
}
