#define _GNU_SOURCE
#include "CAshlarCore.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

static void copy(const struct stat *info, struct ashlar_core_status *status) {
    status->device = (uint64_t)info->st_dev;
    status->inode = (uint64_t)info->st_ino;
    status->size = (int64_t)info->st_size;
    status->links = (uint64_t)info->st_nlink;
    status->owner = (uint32_t)info->st_uid;
#if defined(__APPLE__)
    const struct timespec modified = info->st_mtimespec, changed = info->st_ctimespec;
#else
    const struct timespec modified = info->st_mtim, changed = info->st_ctim;
#endif
    status->modified_seconds = modified.tv_sec;
    status->modified_nanoseconds = (int32_t)modified.tv_nsec;
    status->changed_seconds = changed.tv_sec;
    status->changed_nanoseconds = (int32_t)changed.tv_nsec;
    status->is_regular = S_ISREG(info->st_mode);
    status->is_directory = S_ISDIR(info->st_mode);
    status->is_link = S_ISLNK(info->st_mode);
    status->is_pipe_or_socket = S_ISFIFO(info->st_mode) || S_ISSOCK(info->st_mode);
    status->is_writable_by_others = (info->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

int ashlar_core_status_of_path(const char *path, bool follows_links, struct ashlar_core_status *status) {
    struct stat info;
    if ((follows_links ? stat(path, &info) : lstat(path, &info)) != 0) return errno;
    copy(&info, status);
    return 0;
}

int ashlar_core_status_of_descriptor(int descriptor, struct ashlar_core_status *status) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return errno;
    copy(&info, status);
    return 0;
}

int64_t ashlar_core_wall_clock(int32_t *nanoseconds) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    *nanoseconds = (int32_t)now.tv_nsec;
    return now.tv_sec;
}
