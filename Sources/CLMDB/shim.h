#include <lmdb.h>
#include <stddef.h>
#include <stdint.h>
// Not in Swift's Glibc module: the file system's type, the kernel's random bytes, and a file's birth time.
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/// Returns the birth time of an open file in nanoseconds since 1970; 0 if the kernel or the file system does not know
/// it.
static inline int64_t clm_birth(int descriptor) {
    struct statx status = {0};
    if (syscall(SYS_statx, descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BTIME, &status) != 0) return 0;
    if (!(status.stx_mask & STATX_BTIME)) return 0;
    return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

// FS_IOC_GETFLAGS and FS_IOC_SETFLAGS, their flag FS_NOCOW_FL, and BTRFS_SUPER_MAGIC. Their headers redefine parts of
// Glibc's that Swift imports.
extern int ioctl(int descriptor, unsigned long request, ...);
#define CLM_GET_FLAGS (2UL << 30 | sizeof(long) << 16 | 'f' << 8 | 1)
#define CLM_SET_FLAGS (1UL << 30 | sizeof(long) << 16 | 'f' << 8 | 2)
#define CLM_NO_COPY_ON_WRITE 0x00800000
#define CLM_BTRFS 0x9123683E

/// Returns whether an open file is copy-on-write, so that each change needs free space: btrfs.
static inline int clm_is_copied_on_write(int descriptor) {
    struct statfs status;
    int flags = 0;
    if (fstatfs(descriptor, &status) != 0 || (unsigned)status.f_type != CLM_BTRFS) return 0;
    return ioctl(descriptor, CLM_GET_FLAGS, &flags) == 0 && !(flags & CLM_NO_COPY_ON_WRITE);
}

/// Disables copy-on-write for an empty file, or for the files that are made in a directory from now on. Returns whether
/// it is off.
static inline int clm_write_in_place(int descriptor) {
    int flags = 0;
    if (!clm_is_copied_on_write(descriptor)) return 1;
    if (ioctl(descriptor, CLM_GET_FLAGS, &flags) != 0) return 0;
    flags |= CLM_NO_COPY_ON_WRITE;
    return ioctl(descriptor, CLM_SET_FLAGS, &flags) == 0;
}

/// Prefetches the cache lines of these bytes, at most eight of them: the hardware prefetcher continues a longer run.
static inline void clm_prefetch(const void *bytes, size_t length) {
    const char *first = (const char *)bytes;
    const char *last = first + (length < 512 ? length : 512);
    for (const char *line = first; line < last; line += 64) __builtin_prefetch(line);
}
