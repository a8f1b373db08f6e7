#include <endian.h>
#include <lmdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// Not in Swift's Glibc module: the file system's type, the kernel's random bytes, and a status of chosen parts.
#include <linux/stat.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

// A status without the times of the last change, for a file that is written and synced again and again. From Linux 6.13
// on, a file whose times were read gets finer ones at the next write, and the next sync has to write the inode as well:
// a write and its fdatasync take 128 us after fstat and 88 us without.
extern int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status);

/// The descriptor that a path is relative to where it is relative to the working directory.
#define CLM_HERE (-100)

/// A device and an inode number.
struct clm_name {
    uint64_t device;
    uint64_t inode;
};

/// Gets the name of the file that a path leads to, or, if the path is empty, of an open file. Returns false if the system
/// refuses.
static inline bool clm_identify(int folder, const char *path, struct clm_name *name) {
    struct statx status = {0};
    if (statx(folder, path, *path ? 0 : 0x1000 /* AT_EMPTY_PATH */, STATX_INO, &status) != 0) return false;
    name->device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
    name->inode = status.stx_ino;
    return true;
}

/// Returns the size of an open file in bytes; -1 if the system refuses.
static inline int64_t clm_size(int descriptor) {
    struct statx status = {0};
    if (statx(descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_SIZE, &status) != 0) return -1;
    return (int64_t)status.stx_size;
}

/// Returns the birth time of an open file in nanoseconds since 1970; 0 if the kernel or the file system does not know
/// it.
static inline int64_t clm_birth(int descriptor) {
    struct statx status = {0};
    if (statx(descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BTIME, &status) != 0) return 0;
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

/// Returns eight bytes as a number that has their order.
static inline uint64_t clm_word(const uint8_t *bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, 8);
    return be64toh(word);
}

/// Returns fewer than eight bytes as a number that has their order among those of the same length.
static inline uint64_t clm_short_word(const uint8_t *bytes, size_t length) {
    if (length >= 4) {
        uint32_t first, last;
        __builtin_memcpy(&first, bytes, 4);
        __builtin_memcpy(&last, bytes + length - 4, 4);
        return (uint64_t)be32toh(first) << 32 | be32toh(last);
    }
    if (length == 0) return 0;
    return (uint64_t)bytes[0] << 16 | (uint64_t)bytes[length / 2] << 8 | bytes[length - 1];
}

/// Compares keys in LMDB's order: byte by byte, a prefix first. Returns a negative number if `one` comes first.
///
/// Compares whole words, of which the last one overlaps: a loop over the remaining bytes would end unpredictably, and
/// so cost a mispredicted branch. For a look-up in a B-tree, which compares tens of keys: it takes 33 instructions for
/// keys of 12 bytes, and `compare` of StoryCore 49.
static inline int clm_compare(const void *one, size_t one_length, const void *other, size_t other_length) {
    const uint8_t *left = (const uint8_t *)one, *right = (const uint8_t *)other;
    const size_t shorter = one_length < other_length ? one_length : other_length;
    uint64_t first, second;
    if (shorter < 8) {
        first = clm_short_word(left, shorter);
        second = clm_short_word(right, shorter);
    } else {
        const size_t last = shorter - 8;
        size_t index = 0;
        first = clm_word(left);
        second = clm_word(right);
        while (first == second && index < last) {
            index = index + 8 < last ? index + 8 : last;
            first = clm_word(left + index);
            second = clm_word(right + index);
        }
    }
    if (first != second) return first < second ? -1 : 1;
    return (one_length > other_length) - (one_length < other_length);
}
