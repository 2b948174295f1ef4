// Calls that would need another reason in the privacy manifest (Sources/Core/PrivacyInfo.xcprivacy) outside macOS.
#include <sys/mount.h>
#include <sys/param.h>
#define NEEDS_REASON __attribute__((unavailable("needs a reason for disk space in the privacy manifest")))
int statfs(const char *path, struct statfs *information) NEEDS_REASON;
int fstatfs(int descriptor, struct statfs *information) NEEDS_REASON;
