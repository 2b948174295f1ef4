// The frames of a crashed thread, written by its signal handler. Everything here is async-signal-safe, except the
// collection of the images, which happens before.

#define _GNU_SOURCE
#include "CAshlarLogging.h"
#include "signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <mach/mach.h>
#include <sys/ucontext.h>
#elif defined(__linux__)
#include <link.h>
#include <sys/uio.h>
#include <ucontext.h>
#if defined(__GLIBC__)
#include <unwind.h>
#endif
#endif

static void prepare_unwinder(void);

// MARK: Images

#define IMAGE_COUNT 256
#define PATH_BYTES 256

// A loaded file: its addresses, and the difference to the addresses in the file.
static struct {
    uintptr_t start, end, slide;
    char path[PATH_BYTES];
} images[IMAGE_COUNT];
static atomic_int image_count = 0;

__attribute__((unused)) static void add_image(int *count, uintptr_t start, uintptr_t end, uintptr_t slide, const char *path) {
    if (*count >= IMAGE_COUNT || start >= end) return;
    images[*count].start = start;
    images[*count].end = end;
    images[*count].slide = slide;
    strncpy(images[*count].path, path, PATH_BYTES - 1);
    (*count)++;
}

#if defined(__linux__)
static int add_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t first = (uintptr_t)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (first < start) start = first;
        if (first + object->dlpi_phdr[i].p_memsz > end) end = first + object->dlpi_phdr[i].p_memsz;
    }
    char own[PATH_BYTES];
    const char *path = object->dlpi_name;
    if (!path || !*path) {
        // The program itself has no name in the list.
        ssize_t length = *(int *)context == 0 ? readlink("/proc/self/exe", own, sizeof own - 1) : -1;
        if (length <= 0) return 0;
        own[length] = 0;
        path = own;
    }
    add_image(context, start, end, (uintptr_t)object->dlpi_addr, path);
    return 0;
}
#endif

void ashlar_log_collect_images(void) {
    int count = 0;
    // A crash during this prints addresses without images.
    atomic_store(&image_count, 0);
#if defined(__linux__)
    dl_iterate_phdr(add_object, &count);
#elif defined(__APPLE__) && defined(__LP64__)
    for (uint32_t i = 0; i < _dyld_image_count(); i++) {
        const struct mach_header_64 *header = (const struct mach_header_64 *)_dyld_get_image_header(i);
        if (!header) continue;
        const struct load_command *command = (const struct load_command *)(header + 1);
        uintptr_t slide = (uintptr_t)_dyld_get_image_vmaddr_slide(i), end = 0;
        for (uint32_t n = 0; n < header->ncmds; n++) {
            const struct segment_command_64 *segment = (const struct segment_command_64 *)command;
            if (command->cmd == LC_SEGMENT_64 && strcmp(segment->segname, "__TEXT") == 0)
                end = slide + (uintptr_t)(segment->vmaddr + segment->vmsize);
            command = (const struct load_command *)((const char *)command + command->cmdsize);
        }
        add_image(&count, (uintptr_t)header, end, slide, _dyld_get_image_name(i));
    }
#endif
    atomic_store(&image_count, count);
    prepare_unwinder();
}

// MARK: Text

struct text {
    char bytes[PATH_BYTES + 96];
    size_t count;
};

static void append(struct text *text, const char *part) {
    while (*part && text->count < sizeof text->bytes) text->bytes[text->count++] = *part++;
}

static void append_number(struct text *text, uintptr_t number, unsigned base) {
    char digits[2 * sizeof number + 4];
    int used = 0;
    do {
        digits[used++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    if (base == 16) append(text, "0x");
    while (used && text->count < sizeof text->bytes) text->bytes[text->count++] = digits[--used];
}

static const char *signal_name(int signal) {
    switch (signal) {
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGSEGV: return "SIGSEGV";
    default: return 0;
    }
}

// One frame: its address, and its file with the address there, as expected by llvm-symbolizer and atos. Returns 0, without
// a line, for an address outside the images, because it isn't code.
static int write_frame(int number, uintptr_t address) {
    int count = atomic_load(&image_count), i = 0;
    while (i < count && (address < images[i].start || address >= images[i].end)) i++;
    if (i == count) return 0;
    struct text text = {.count = 0};
    append(&text, "  frame ");
    append_number(&text, (uintptr_t)number, 10);
    append(&text, ": ");
    append_number(&text, address, 16);
    append(&text, " ");
    append(&text, images[i].path);
    append(&text, " ");
    append_number(&text, address - images[i].slide, 16);
    ashlar_log_signal_write(text.bytes, text.count);
    return 1;
}

// MARK: Frames

struct frame {
    uintptr_t next, return_address;
};

// Copies memory that may not be readable.
static int read_frame(uintptr_t address, struct frame *frame) {
#if defined(__linux__)
    struct iovec to = {frame, sizeof *frame}, from = {(void *)address, sizeof *frame};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof *frame;
#elif defined(__APPLE__)
    vm_size_t count = 0;
    return vm_read_overwrite(mach_task_self(), address, sizeof *frame, (vm_address_t)frame, &count) == KERN_SUCCESS;
#else
    (void)address, (void)frame;
    return 0;
#endif
}

// The position and the frame pointer of the interrupted code; 0 for other processors.
static int registers(const void *context, uintptr_t *position, uintptr_t *frame) {
    const ucontext_t *state = context;
#if defined(__linux__) && defined(__x86_64__)
    *position = (uintptr_t)state->uc_mcontext.gregs[REG_RIP];
    *frame = (uintptr_t)state->uc_mcontext.gregs[REG_RBP];
#elif defined(__linux__) && defined(__aarch64__)
    *position = (uintptr_t)state->uc_mcontext.pc;
    *frame = (uintptr_t)state->uc_mcontext.regs[29];
#elif defined(__APPLE__) && defined(__x86_64__)
    *position = (uintptr_t)state->uc_mcontext->__ss.__rip;
    *frame = (uintptr_t)state->uc_mcontext->__ss.__rbp;
#elif defined(__APPLE__) && defined(__aarch64__) && defined(__LP64__)
    *position = (uintptr_t)arm_thread_state64_get_pc(state->uc_mcontext->__ss);
    *frame = (uintptr_t)arm_thread_state64_get_fp(state->uc_mcontext->__ss);
#else
    (void)state, (void)position, (void)frame;
    return 0;
#endif
    return 1;
}

#define FRAME_COUNT 64
static atomic_int is_written = 0;

// The frames from a position, with frame pointers.
static void follow_pointers(uintptr_t position, uintptr_t address) {
    int written = write_frame(0, position);
    for (int walked = 1; walked < FRAME_COUNT; walked++) {
        struct frame frame;
        if (address % sizeof(void *) != 0 || !read_frame(address, &frame) || frame.return_address < 4096) break;
        uintptr_t caller = frame.return_address;
#if defined(__aarch64__) && defined(__LP64__)
        caller &= 0x00007fffffffffff;  // without the signature of pointer authentication
#endif
        // The call is before the address to return to.
        written += write_frame(written, caller - 1);
        if (frame.next <= address) break;
        address = frame.next;
    }
}

#if defined(__GLIBC__)
// glibc's `abort` has no frame pointers, but tables for the unwinder. It takes no lock with glibc 2.35 or later; with older
// ones, an `abort` while the thread loads a library would wait forever. So only `abort` uses it.
struct walk {
    uintptr_t position;
    int walked, written;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument) {
    struct walk *walk = argument;
    int is_before = 0;
    uintptr_t address = (uintptr_t)_Unwind_GetIPInfo(context, &is_before);
    // The first frames are those of this handler.
    if (walk->walked == 0 && address != walk->position) return _URC_NO_REASON;
    if (address == 0 || walk->walked++ == FRAME_COUNT) return _URC_END_OF_STACK;
    walk->written += write_frame(walk->written, is_before ? address : address - 1);
    return _URC_NO_REASON;
}

static _Unwind_Reason_Code stop(struct _Unwind_Context *context, void *argument) {
    (void)context, (void)argument;
    return _URC_END_OF_STACK;
}

// The first call initializes the unwinder, which allocates memory.
static void prepare_unwinder(void) { _Unwind_Backtrace(stop, NULL); }

static int unwind(uintptr_t position) {
    struct walk walk = {position, 0, 0};
    _Unwind_Backtrace(visit, &walk);
    return walk.written;
}
#else
static void prepare_unwinder(void) {}
static int unwind(uintptr_t position) { return (void)position, 0; }
#endif

void ashlar_log_write_backtrace(int signal, const void *fault, const void *context) {
    const char *name = signal_name(signal);
    // A second crash is one of the handlers that run now, such as SIGABRT.
    if (!name || !context || atomic_exchange(&is_written, 1)) return;
    struct text text = {.count = 0};
    append(&text, "fatal signal ");
    append(&text, name);
    if (signal == SIGSEGV || signal == SIGBUS) {
        append(&text, " at address ");
        append_number(&text, (uintptr_t)fault, 16);
    }
    ashlar_log_signal_write(text.bytes, text.count);
    uintptr_t position = 0, address = 0;
    if (!registers(context, &position, &address)) return;
    if (signal != SIGABRT || !unwind(position)) follow_pointers(position, address);
}

void ashlar_log_end_backtrace(int continues) {
    static const char text[] = "the signal was handled, and the process continues";
    if (atomic_exchange(&is_written, 0) && continues) ashlar_log_signal_write(text, sizeof text - 1);
}
