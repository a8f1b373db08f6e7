// A disk whose every sync takes 2 ms more, for the benchmark's row S13. Preloaded into a server:
//
//     LD_PRELOAD=.build/release/libslowsync.so stored …
//
// Who syncs through the C library waits that long after the sync is done, on the thread that asked. So does who writes
// to a descriptor that syncs each write of its own accord, as LMDB does with its meta page. Other threads go on, as
// they would with a slow disk. Syncs that do not come by the C library (io_uring) are not delayed.

#define _GNU_SOURCE
#include "slowsync.h"
#include "preloaded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define DELAY 2000000 // nanoseconds

static void delay(void) {
    int error = errno;
    struct timespec left = {0, DELAY};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
    errno = error;
}

#define SYNC(name, parameters, arguments)                                         \
    EXPORTED int name parameters {                                                \
        static void *cached;                                                      \
        int result = ((int(*) parameters)behind(&cached, #name)) arguments;       \
        delay();                                                                  \
        return result;                                                            \
    }

SYNC(fsync, (int fd), (fd))
SYNC(fdatasync, (int fd), (fd))
SYNC(syncfs, (int fd), (fd))
SYNC(sync_file_range, (int fd, off64_t at, off64_t size, unsigned flags), (fd, at, size, flags))

EXPORTED int msync(void *at, size_t size, int flags) {
    static void *cached;
    int result = ((int (*)(void *, size_t, int))behind(&cached, "msync"))(at, size, flags);
    if (flags & MS_SYNC) delay();
    return result;
}

static ssize_t written(int fd, ssize_t result, int flags) {
    int error = errno;
    if ((flags & (RWF_DSYNC | RWF_SYNC)) || (fcntl(fd, F_GETFL) & O_DSYNC)) delay();
    errno = error;
    return result;
}

#define WRITE(name, parameters, arguments, flags)                                              \
    EXPORTED ssize_t name parameters {                                                         \
        static void *cached;                                                                   \
        return written(fd, ((ssize_t(*) parameters)behind(&cached, #name)) arguments, flags);  \
    }

WRITE(write, (int fd, const void *bytes, size_t size), (fd, bytes, size), 0)
WRITE(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number), 0)
WRITE(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), 0)
WRITE(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), 0)
WRITE(pwritev, (int fd, const struct iovec *parts, int number, off_t at), (fd, parts, number, at), 0)
WRITE(pwritev64, (int fd, const struct iovec *parts, int number, off64_t at), (fd, parts, number, at), 0)
WRITE(pwritev2, (int fd, const struct iovec *parts, int number, off_t at, int how), (fd, parts, number, at, how), how)
WRITE(pwritev64v2, (int fd, const struct iovec *parts, int number, off64_t at, int how), (fd, parts, number, at, how),
      how)
