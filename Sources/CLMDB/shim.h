#include <endian.h>
#include <lmdb.h>
#include <stddef.h>
#include <stdint.h>
// Not in Swift's Glibc module: the file system's kind, the kernel's random bytes, and when a file was made.
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/// When an open file was made, in nanoseconds since 1970; 0 where the kernel or the file system does not know it.
static inline int64_t clm_birth(int descriptor) {
    struct statx status = {0};
    if (syscall(SYS_statx, descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BTIME, &status) != 0) return 0;
    if (!(status.stx_mask & STATX_BTIME)) return 0;
    return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

// FS_IOC_GETFLAGS and FS_IOC_SETFLAGS, their flag FS_NOCOW_FL, and BTRFS_SUPER_MAGIC. Their headers have what Swift takes
// from Glibc's.
extern int ioctl(int descriptor, unsigned long request, ...);
#define CLM_GET_FLAGS (2UL << 30 | sizeof(long) << 16 | 'f' << 8 | 1)
#define CLM_SET_FLAGS (1UL << 30 | sizeof(long) << 16 | 'f' << 8 | 2)
#define CLM_NO_COPY_ON_WRITE 0x00800000
#define CLM_BTRFS 0x9123683E

/// True where the file system writes each change of an open file elsewhere, and so wants room for it: btrfs.
static inline int clm_is_copied_on_write(int descriptor) {
    struct statfs status;
    int flags = 0;
    if (fstatfs(descriptor, &status) != 0 || (unsigned)status.f_type != CLM_BTRFS) return 0;
    return ioctl(descriptor, CLM_GET_FLAGS, &flags) == 0 && !(flags & CLM_NO_COPY_ON_WRITE);
}

/// Has an empty file, or the files that are made in a folder from now on, written in place. True where they are.
static inline int clm_write_in_place(int descriptor) {
    int flags = 0;
    if (!clm_is_copied_on_write(descriptor)) return 1;
    if (ioctl(descriptor, CLM_GET_FLAGS, &flags) != 0) return 0;
    flags |= CLM_NO_COPY_ON_WRITE;
    return ioctl(descriptor, CLM_SET_FLAGS, &flags) == 0;
}

/// Asks for the lines of memory that hold these bytes, at most eight of them, without waiting: the processor goes on
/// with the rest of a longer run by itself.
static inline void clm_prefetch(const void *bytes, size_t length) {
    const char *first = (const char *)bytes;
    const char *last = first + (length < 512 ? length : 512);
    for (const char *line = first; line < last; line += 64) __builtin_prefetch(line);
}

/// The eight bytes at a place as a number whose order is theirs.
static inline uint64_t clm_word(const uint8_t *bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, 8);
    return be64toh(word);
}

/// As many bytes as there are, fewer than eight, as a number whose order is theirs among those of the same length.
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

/// The order of LMDB's keys: byte by byte, a beginning before what goes on. Below zero where `one` comes first.
///
/// Whole words are compared, the last one being the last eight bytes, though some were compared before: a loop over the
/// bytes that are left would end where no processor can guess it.
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
