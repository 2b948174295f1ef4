// Remembers the end of what the program prints through the C stream `stderr`: the Swift runtime prints the message of a
// trap there, such as "Fatal error: Index out of range", and then stops the process without telling anyone.
//
// glibc permits a program to replace `stderr`. The new stream writes to the same descriptor, so nothing changes for the
// reader of standard error, for child processes and after exec. Other C libraries have no such stream.
#define _GNU_SOURCE
#include "CAshlarLogging.h"
#include "signals.h"

#if defined(__GLIBC__)
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The latest bytes. The stream's lock protects them; the handler of a crash reads them without it.
static char remembered[2048];
static atomic_size_t remembered_count = 0;

static void remember(const char *bytes, size_t count) {
    if (count > sizeof remembered) {
        bytes += count - sizeof remembered;
        count = sizeof remembered;
    }
    size_t known = atomic_load(&remembered_count);
    size_t kept = known + count > sizeof remembered ? sizeof remembered - count : known;
    memmove(remembered, remembered + known - kept, kept);
    memcpy(remembered + kept, bytes, count);
    atomic_store(&remembered_count, kept + count);
}

static ssize_t write_through(void *cookie, const char *bytes, size_t count) {
    (void)cookie;
    remember(bytes, count);
    size_t written = 0;
    while (written < count) {
        ssize_t part = write(STDERR_FILENO, bytes + written, count - written);
        if (part > 0) written += (size_t)part;
        else if (part == 0 || errno != EINTR) break;
    }
    return (ssize_t)written;
}

void ashlar_log_remember_standard_error(void) {
    // A stream of the program's own, or one to another descriptor, remains.
    if (fileno(stderr) != STDERR_FILENO) return;
    cookie_io_functions_t functions = {.write = write_through};
    FILE *stream = fopencookie(NULL, "w", functions);
    if (!stream) return;
    setvbuf(stream, NULL, _IONBF, 0);
    // For code that asks for the stream's descriptor.
    stream->_fileno = STDERR_FILENO;
    stderr = stream;
}

// Whether a line has the mark of the Swift runtime's messages. memmem(3) isn't on the list of async-signal-safe functions.
static int is_message(size_t start, size_t end) {
    static const char mark[] = "Fatal error";
    for (size_t at = start; at + sizeof mark - 1 <= end; at++) {
        size_t same = 0;
        while (same < sizeof mark - 1 && remembered[at + same] == mark[same]) same++;
        if (same == sizeof mark - 1) return 1;
    }
    return 0;
}

// Writes the last message of the runtime, which a list of frames can follow, or the last line if there is none.
// Async-signal-safe.
void ashlar_log_write_standard_error(void) {
    static const char prefix[] = "  standard error: ";
    char text[sizeof prefix + sizeof remembered];
    size_t start = 0, end = 0, next = atomic_load(&remembered_count);
    while (next > 0 && next <= sizeof remembered) {
        size_t line_end = next, line_start;
        while (line_end > 0 && remembered[line_end - 1] == '\n') line_end--;
        line_start = line_end;
        while (line_start > 0 && remembered[line_start - 1] != '\n') line_start--;
        if (start == end || is_message(line_start, line_end)) start = line_start, end = line_end;
        if (is_message(line_start, line_end)) break;
        next = line_start;
    }
    if (start == end) return;
    size_t count = sizeof prefix - 1;
    memcpy(text, prefix, count);
    for (size_t at = start; at < end; at++) {
        unsigned char byte = (unsigned char)remembered[at];
        // A control character could act on the terminal that shows the log.
        text[count++] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
    }
    ashlar_log_signal_write(text, count);
}
#else
void ashlar_log_remember_standard_error(void) {}
void ashlar_log_write_standard_error(void) {}
#endif
