// error: needs a reason for disk space in the privacy manifest
// triple: arm64-apple-ios18.0
#include <sys/mount.h>
int free_space(struct statfs *information);
int free_space(struct statfs *information) { return statfs("/", information); }
