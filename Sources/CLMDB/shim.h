#include <lmdb.h>
#include <stddef.h>
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
