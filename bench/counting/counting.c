// What one process costs in counts that do not depend on the machine: allocations, system calls, syncs, calls that ask
// for a file's times, B-tree work, bytes written to files. Preloaded into the release build of `stored`:
//
//     LD_PRELOAD=.build/release/libcounting.so COUNTING_FILE=/tmp/counts stored …
//
// The counts lie in that file, mapped, so that another process reads them at any moment (include/counting.h). Those of
// the thread that loaded the library are kept apart: they are what a turn costs. Nothing here allocates, and until the
// file is mapped nothing is counted, so it is safe before `main`.

#define _GNU_SOURCE
#include "counting.h"
#include "preloaded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct counting_record *records;
static __thread int isMain __attribute__((tls_model("initial-exec")));

static inline void count(enum counting_kind kind, uint64_t amount) {
    struct counting_record *all = __atomic_load_n(&records, __ATOMIC_ACQUIRE);
    if (!all) return;
    __atomic_fetch_add(isMain ? &all[kind].loop : &all[kind].background, amount, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void) {
    static const char *names[] = {COUNTING_NAMES};
    isMain = 1;
    const char *path = getenv("COUNTING_FILE");
    if (!path) return;
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0 || ftruncate(descriptor, sizeof(struct counting_file)) != 0) return;
    struct counting_file *file =
        mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (file == MAP_FAILED) return;
    memset(file, 0, sizeof *file);
    for (int kind = 0; kind < COUNTING_KINDS; kind++)
        strncpy(file->records[kind].name, names[kind], sizeof file->records[kind].name - 1);
    __atomic_store_n(&file->count, COUNTING_KINDS, __ATOMIC_RELEASE);
    __atomic_store_n(&records, file->records, __ATOMIC_RELEASE);
}

// --- Memory. By the names that the C library keeps for this, because looking one up may itself allocate.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void countAllocation(size_t size) {
    count(counting_allocations, 1);
    count(counting_allocated, size);
}

EXPORTED void *malloc(size_t size) {
    countAllocation(size);
    return __libc_malloc(size);
}

EXPORTED void *calloc(size_t number, size_t size) {
    countAllocation(number * size);
    return __libc_calloc(number, size);
}

EXPORTED void *realloc(void *memory, size_t size) {
    countAllocation(size);
    return __libc_realloc(memory, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
    countAllocation(size);
    return __libc_memalign(alignment, size);
}

EXPORTED void *memalign(size_t alignment, size_t size) {
    countAllocation(size);
    return __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    countAllocation(size);
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}

// --- Other functions: `COUNTED(what they answer, name, (parameters), (arguments), what is counted)`.

#define COUNTED(result, name, parameters, arguments, kind)         \
    EXPORTED result name parameters {                              \
        static void *cached;                                       \
        count(kind, 1);                                            \
        return ((result(*) parameters)behind(&cached, #name)) arguments; \
    }

#define CALL(result, name, parameters, arguments) COUNTED(result, name, parameters, arguments, counting_calls)

CALL(ssize_t, recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags))
CALL(ssize_t, recvfrom, (int fd, void *bytes, size_t size, int flags, struct sockaddr *from, socklen_t *length),
     (fd, bytes, size, flags, from, length))
CALL(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
CALL(ssize_t, send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags))
CALL(ssize_t, sendto,
     (int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t length),
     (fd, bytes, size, flags, to, length))
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
CALL(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size))
CALL(ssize_t, readv, (int fd, const struct iovec *parts, int number), (fd, parts, number))
CALL(ssize_t, pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
CALL(ssize_t, pread64, (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
CALL(int, epoll_wait, (int fd, struct epoll_event *events, int most, int timeout), (fd, events, most, timeout))
CALL(int, epoll_pwait, (int fd, struct epoll_event *events, int most, int timeout, const sigset_t *mask),
     (fd, events, most, timeout, mask))
CALL(int, epoll_ctl, (int fd, int what, int other, struct epoll_event *event), (fd, what, other, event))
CALL(int, accept4, (int fd, struct sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags))
CALL(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *length),
     (fd, level, name, value, length))
CALL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t length),
     (fd, level, name, value, length))
CALL(int, shutdown, (int fd, int how), (fd, how))
CALL(int, close, (int fd), (fd))
CALL(int, ftruncate, (int fd, off_t size), (fd, size))
CALL(int, ftruncate64, (int fd, off64_t size), (fd, size))
CALL(off_t, lseek, (int fd, off_t at, int from), (fd, at, from))
CALL(off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from))
CALL(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
CALL(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size))
CALL(void *, mmap, (void *at, size_t size, int access, int flags, int fd, off_t from),
     (at, size, access, flags, fd, from))
CALL(int, munmap, (void *at, size_t size), (at, size))
CALL(int, madvise, (void *at, size_t size, int advice), (at, size, advice))
CALL(pid_t, getpid, (void), ())
CALL(int, sched_yield, (void), ())
CALL(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags))

EXPORTED int open(const char *path, int flags, ...) {
    static void *cached;
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    count(counting_calls, 1);
    return ((int (*)(const char *, int, ...))behind(&cached, "open"))(path, flags, mode);
}

// --- The status of a file. A file whose times were read gets finer ones at its next write, since Linux 6.13, and the sync
// of that write takes twice as long.

#define STATUS(name, parameters, arguments)                                  \
    EXPORTED int name parameters {                                           \
        static void *cached;                                                 \
        count(counting_calls, 1);                                            \
        count(counting_times, 1);                                            \
        return ((int (*) parameters)behind(&cached, #name)) arguments;       \
    }

STATUS(fstat, (int fd, struct stat *status), (fd, status))
STATUS(fstat64, (int fd, struct stat64 *status), (fd, status))
STATUS(stat, (const char *path, struct stat *status), (path, status))
STATUS(stat64, (const char *path, struct stat64 *status), (path, status))
STATUS(lstat, (const char *path, struct stat *status), (path, status))
STATUS(lstat64, (const char *path, struct stat64 *status), (path, status))
STATUS(fstatat, (int folder, const char *path, struct stat *status, int flags), (folder, path, status, flags))
STATUS(fstatat64, (int folder, const char *path, struct stat64 *status, int flags), (folder, path, status, flags))
// As programs call them that were built with an older C library.
STATUS(__fxstat, (int version, int fd, struct stat *status), (version, fd, status))
STATUS(__fxstat64, (int version, int fd, struct stat64 *status), (version, fd, status))
STATUS(__xstat, (int version, const char *path, struct stat *status), (version, path, status))
STATUS(__xstat64, (int version, const char *path, struct stat64 *status), (version, path, status))
STATUS(__lxstat, (int version, const char *path, struct stat *status), (version, path, status))
STATUS(__lxstat64, (int version, const char *path, struct stat64 *status), (version, path, status))
STATUS(__fxstatat, (int version, int folder, const char *path, struct stat *status, int flags),
       (version, folder, path, status, flags))
STATUS(__fxstatat64, (int version, int folder, const char *path, struct stat64 *status, int flags),
       (version, folder, path, status, flags))

EXPORTED int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict status) {
    static void *cached;
    count(counting_calls, 1);
    if (mask & (STATX_ATIME | STATX_MTIME | STATX_CTIME)) count(counting_times, 1);
    return ((int (*)(int, const char *, int, unsigned, struct statx *))behind(&cached, "statx"))(
        folder, path, flags, mask, status);
}

// --- Syncs and writes. A write to a descriptor that syncs of its own accord is a sync, too: LMDB's meta page.
//
// A sync is counted and not done: where a disk is slow the daemon commits beside its loop, and the counts of the two
// threads would depend on the machine after all.

#define SYNC(name, parameters)       \
    EXPORTED int name parameters {   \
        count(counting_calls, 1);    \
        count(counting_syncs, 1);    \
        return 0;                    \
    }

SYNC(fsync, (int fd))
SYNC(fdatasync, (int fd))
SYNC(msync, (void *at, size_t size, int flags))
SYNC(sync_file_range, (int fd, off64_t at, off64_t size, unsigned flags))

// What a write came to; the trace on standard error is none of the store's files. These questions are our own, and
// not counted.
static ssize_t written(int fd, ssize_t result) {
    static void *asksStatus;
    struct stat status;
    count(counting_calls, 1);
    if (result <= 0 || fd == STDOUT_FILENO || fd == STDERR_FILENO) return result;
    if (((int (*)(int, struct stat *))behind(&asksStatus, "fstat"))(fd, &status) != 0) return result;
    if (!S_ISREG(status.st_mode)) return result;
    count(counting_written, (uint64_t)result);
    if (fcntl(fd, F_GETFL) & O_DSYNC) count(counting_syncs, 1);
    return result;
}

#define WRITE(name, parameters, arguments)                                              \
    EXPORTED ssize_t name parameters {                                                  \
        static void *cached;                                                            \
        return written(fd, ((ssize_t(*) parameters)behind(&cached, #name)) arguments);  \
    }

WRITE(write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRITE(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number))
WRITE(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
WRITE(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at))
WRITE(pwritev, (int fd, const struct iovec *parts, int number, off_t at), (fd, parts, number, at))
WRITE(pwritev64, (int fd, const struct iovec *parts, int number, off64_t at), (fd, parts, number, at))

// --- The B-trees: what the store asks of LMDB. LMDB's calls of its own functions do not come by here.

COUNTED(int, mdb_put, (void *transaction, unsigned database, void *key, void *value, unsigned flags),
        (transaction, database, key, value, flags), counting_puts)
COUNTED(int, mdb_cursor_put, (void *cursor, void *key, void *value, unsigned flags),
        (cursor, key, value, flags), counting_puts)
COUNTED(int, mdb_del, (void *transaction, unsigned database, void *key, void *value),
        (transaction, database, key, value), counting_deletes)
COUNTED(int, mdb_cursor_del, (void *cursor, unsigned flags), (cursor, flags), counting_deletes)
COUNTED(int, mdb_get, (void *transaction, unsigned database, void *key, void *value),
        (transaction, database, key, value), counting_gets)
COUNTED(int, mdb_cursor_get, (void *cursor, void *key, void *value, unsigned operation),
        (cursor, key, value, operation), counting_gets)
COUNTED(int, mdb_txn_begin, (void *environment, void *parent, unsigned flags, void **made),
        (environment, parent, flags, made), counting_transactions)
COUNTED(int, mdb_txn_renew, (void *transaction), (transaction), counting_transactions)

// --- Time. A reading of a clock is no system call where the kernel maps it, but a cost. The daemon's ticks never come:
// what they cost, and the checkpoint that one begins after a second without events, would be the machine's doing.

COUNTED(int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time), counting_clocks)

EXPORTED int uv_timer_start(void *timer, void (*due)(void *), uint64_t first, uint64_t then) {
    static void *cached;
    if (__atomic_load_n(&records, __ATOMIC_ACQUIRE)) return 0;
    return ((int (*)(void *, void (*)(void *), uint64_t, uint64_t))behind(&cached, "uv_timer_start"))(
        timer, due, first, then);
}
