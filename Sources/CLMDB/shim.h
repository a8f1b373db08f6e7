#include <lmdb.h>
#include <stddef.h>
#include <stdint.h>
// Not in Swift's Glibc module: the file system's kind, and the kernel's random bytes.
#include <sys/random.h>
#include <sys/vfs.h>

/// Asks for the lines of memory that hold these bytes, at most eight of them, without waiting: the processor goes on
/// with the rest of a longer run by itself.
static inline void clm_prefetch(const void *bytes, size_t length) {
    const char *first = (const char *)bytes;
    const char *last = first + (length < 512 ? length : 512);
    for (const char *line = first; line < last; line += 64) __builtin_prefetch(line);
}

/// The order of LMDB's keys: byte by byte, a beginning before what goes on. Below zero where `one` comes first. Most keys
/// are short: whole words are compared without a call.
static inline int clm_compare(const void *one, size_t one_length, const void *other, size_t other_length) {
    const uint8_t *left = (const uint8_t *)one, *right = (const uint8_t *)other;
    const size_t shorter = one_length < other_length ? one_length : other_length;
    uint64_t first, second;
    size_t index = 0;
    for (; index + 8 <= shorter; index += 8) {
        __builtin_memcpy(&first, left + index, 8);
        __builtin_memcpy(&second, right + index, 8);
        if (first == second) continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        first = __builtin_bswap64(first);
        second = __builtin_bswap64(second);
#endif
        return first < second ? -1 : 1;
    }
    for (; index < shorter; index++) {
        if (left[index] != right[index]) return left[index] < right[index] ? -1 : 1;
    }
    return one_length == other_length ? 0 : one_length < other_length ? -1 : 1;
}
