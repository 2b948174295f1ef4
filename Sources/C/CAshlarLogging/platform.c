#define _GNU_SOURCE
#include "CAshlarLogging.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>
#include <sys/mount.h>
#include <sys/param.h>
#elif defined(__linux__)
#include <sys/vfs.h>
#endif

int ashlar_log_forked = 0;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void note_fork(void) { __atomic_store_n(&ashlar_log_forked, 1, __ATOMIC_RELAXED); }

static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

void ashlar_log_begin_process(void) {
    pthread_once(&fork_once, watch_forks);
    __atomic_store_n(&ashlar_log_forked, 0, __ATOMIC_RELAXED);
}

int ashlar_log_can_map_safely(const char *folder) {
#if defined(__APPLE__) && !TARGET_OS_OSX && !TARGET_OS_MACCATALYST
    // The container of an app is on APFS. statfs(2) would need a reason for disk space in the privacy manifest.
    (void)folder;
    return 1;
#elif defined(__APPLE__)
    struct statfs information;
    if (statfs(folder, &information) != 0 || !(information.f_flags & MNT_LOCAL)) return 0;
    return strcmp(information.f_fstypename, "apfs") == 0 || strcmp(information.f_fstypename, "hfs") == 0;
#elif defined(__linux__)
    struct statfs information;
    if (statfs(folder, &information) != 0) return 0;
    switch ((unsigned long)information.f_type) {
    case 0xEF53UL:      // ext2, ext3, ext4
    case 0x58465342UL:  // xfs
    case 0x01021994UL:  // tmpfs
        return 1;
    default:
        return 0;
    }
#else
    (void)folder;
    return 0;
#endif
}

#if defined(__linux__)
static struct flock whole_file(short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return lock;
}
#endif

void ashlar_log_mark_in_use(int descriptor) {
#if defined(__linux__)
    struct flock lock = whole_file(F_RDLCK);
    if (descriptor >= 0) fcntl(descriptor, F_OFD_SETLK, &lock);
#else
    (void)descriptor;
#endif
}

int ashlar_log_is_in_use(int descriptor) {
#if defined(__linux__)
    struct flock lock = whole_file(F_WRLCK);
    return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
#else
    (void)descriptor;
    return 0;
#endif
}

int ashlar_log_terminal_width(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
