// Stands before the C library's calls in the one program that it is linked into, also where a library calls them: a
// symbol of the program comes first. Calls on what is simulated are judged by the simulation before they are made.

#define _GNU_SOURCE
#include "disk.h"
#include "preloaded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 4096

static void *context;
static struct disk_verdict (*judge)(void *, const struct disk_call *);
static void (*told)(void *, const struct disk_call *, int64_t);
static int isOn;
static unsigned char below[DESCRIPTORS];

void simulated_disk_begin(void *given, struct disk_verdict (*judging)(void *, const struct disk_call *),
                          void (*telling)(void *, const struct disk_call *, int64_t)) {
    context = given;
    judge = judging;
    told = telling;
    isOn = 1;
}

void simulated_disk_set(int value) { isOn = value; }

static int isBelow(int fd) { return isOn && fd >= 0 && fd < DESCRIPTORS && below[fd]; }
static int isSimulated(const char *path) { return isOn && path && path[0] != '/' && path[0] != 0; }

// What the call answers in the end.
static int64_t ended(const struct disk_call *call, struct disk_verdict verdict, int64_t result) {
    int error = errno;
    if (verdict.action == disk_fails || verdict.action == disk_fails_late) {
        result = -1;
        error = verdict.error;
    }
    told(context, call, result);
    errno = error;
    return result;
}

static int isMade(struct disk_verdict verdict) {
    return verdict.action != disk_fails && verdict.action != disk_is_skipped;
}

// --- Descriptors

static int opened(int folder, const char *path, int flags, mode_t mode) {
    NEXT(int, openat, (int, const char *, int, ...));
    if (!isSimulated(path) || folder != AT_FDCWD) return next(folder, path, flags, mode);
    struct disk_call call = {.kind = disk_open, .fd = -1, .flags = flags, .path = path};
    struct disk_verdict verdict = judge(context, &call);
    int fd = isMade(verdict) ? next(folder, path, flags, mode) : -1;
    if (fd >= DESCRIPTORS) abort();
    if (fd >= 0) below[fd] = 1;
    return (int)ended(&call, verdict, fd);
}

#define OPEN(name)                                                              \
    EXPORTED int name(const char *path, int flags, ...) {                       \
        va_list rest;                                                           \
        va_start(rest, flags);                                                  \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                           \
        return opened(AT_FDCWD, path, flags, mode);                             \
    }

OPEN(open)
OPEN(open64)

EXPORTED int close(int fd) {
    NEXT(int, close, (int));
    if (isBelow(fd)) {
        struct disk_call call = {.kind = disk_close, .fd = fd};
        told(context, &call, 0);
    }
    if (fd >= 0 && fd < DESCRIPTORS) below[fd] = 0;
    return next(fd);
}

// --- Bytes: all writes are one call of what lies in one piece.

static ssize_t put(int fd, const void *bytes, size_t size, off_t at) {
    NEXT(ssize_t, pwrite64, (int, const void *, size_t, off64_t));
    struct disk_call call = {.kind = disk_write, .fd = fd, .flags = fcntl(fd, F_GETFL), .at = at, .size = (int64_t)size,
                             .bytes = bytes};
    struct disk_verdict verdict = judge(context, &call);
    if (verdict.action == disk_is_cut) call.size = verdict.size;
    int64_t result = isMade(verdict) ? next(fd, bytes, (size_t)call.size, at) : call.size;
    return ended(&call, verdict, result);
}

static ssize_t putParts(int fd, const struct iovec *parts, int number, off_t at) {
    size_t size = 0;
    for (int part = 0; part < number; part++) size += parts[part].iov_len;
    char *whole = malloc(size ? size : 1), *target = whole;
    for (int part = 0; part < number; part++) {
        memcpy(target, parts[part].iov_base, parts[part].iov_len);
        target += parts[part].iov_len;
    }
    ssize_t result = put(fd, whole, size, at);
    free(whole);
    return result;
}

// What moves the place in the file.
static ssize_t moved(int fd, ssize_t result) {
    int error = errno;
    if (result > 0) lseek(fd, result, SEEK_CUR);
    errno = error;
    return result;
}

#define WRITE(name, parameters, arguments, simulated)    \
    EXPORTED ssize_t name parameters {                   \
        NEXT(ssize_t, name, parameters);                 \
        return isBelow(fd) ? simulated : next arguments; \
    }

WRITE(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), put(fd, bytes, size, at))
WRITE(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), put(fd, bytes, size, at))
WRITE(pwritev, (int fd, const struct iovec *parts, int number, off_t at), (fd, parts, number, at),
      putParts(fd, parts, number, at))
WRITE(pwritev64, (int fd, const struct iovec *parts, int number, off64_t at), (fd, parts, number, at),
      putParts(fd, parts, number, at))
WRITE(write, (int fd, const void *bytes, size_t size), (fd, bytes, size),
      moved(fd, put(fd, bytes, size, lseek(fd, 0, SEEK_CUR))))
WRITE(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number),
      moved(fd, putParts(fd, parts, number, lseek(fd, 0, SEEK_CUR))))

// Most reads are of no interest: only those are told that were made to fail.
static ssize_t get(int fd, void *target, size_t size, off_t at) {
    NEXT(ssize_t, pread64, (int, void *, size_t, off64_t));
    struct disk_call call = {.kind = disk_read, .fd = fd, .at = at, .size = (int64_t)size};
    struct disk_verdict verdict = judge(context, &call);
    return isMade(verdict) ? next(fd, target, size, at) : ended(&call, verdict, 0);
}

#define READ(name, offset)                                                           \
    EXPORTED ssize_t name(int fd, void *target, size_t size, offset at) {            \
        NEXT(ssize_t, name, (int, void *, size_t, offset));                          \
        return isBelow(fd) ? get(fd, target, size, at) : next(fd, target, size, at); \
    }

READ(pread, off_t)
READ(pread64, off64_t)

// --- Sizes and syncs

#define CHANGE(call_kind, name, parameters, arguments, to)               \
    EXPORTED int name parameters {                                       \
        NEXT(int, name, parameters);                                     \
        if (!isBelow(fd)) return next arguments;                         \
        struct disk_call call = {.kind = call_kind, .fd = fd, .at = to}; \
        struct disk_verdict verdict = judge(context, &call);             \
        int result = isMade(verdict) ? next arguments : 0;               \
        return (int)ended(&call, verdict, result);                       \
    }

CHANGE(disk_truncate, ftruncate, (int fd, off_t size), (fd, size), size)
CHANGE(disk_truncate, ftruncate64, (int fd, off64_t size), (fd, size), size)
CHANGE(disk_sync, fsync, (int fd), (fd), 0)
CHANGE(disk_sync, fdatasync, (int fd), (fd), 0)

// These answer the error itself.
#define ALLOCATE(name, offset)                                                                                \
    EXPORTED int name(int fd, offset at, offset size) {                                                       \
        NEXT(int, name, (int, offset, offset));                                                               \
        if (!isBelow(fd)) return next(fd, at, size);                                                          \
        struct disk_call call = {.kind = disk_allocate, .fd = fd, .at = at + size};                           \
        struct disk_verdict verdict = judge(context, &call);                                                  \
        int result = isMade(verdict) ? next(fd, at, size) : 0;                                                \
        return ended(&call, verdict, result == 0 ? 0 : -1) == 0 ? 0 : verdict.error ? verdict.error : result; \
    }

ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

// Locks are not of the disk: they are only judged.
EXPORTED int flock(int fd, int operation) {
    NEXT(int, flock, (int, int));
    if (!isBelow(fd)) return next(fd, operation);
    struct disk_call call = {.kind = disk_lock, .fd = fd, .flags = operation};
    return isMade(judge(context, &call)) ? next(fd, operation) : 0;
}

// --- Names

#define NAMED(call_kind, name, parameters, arguments, first, second)                           \
    EXPORTED int name parameters {                                                             \
        NEXT(int, name, parameters);                                                           \
        if (!isSimulated(first)) return next arguments;                                        \
        struct disk_call call = {.kind = call_kind, .fd = -1, .path = first, .other = second}; \
        struct disk_verdict verdict = judge(context, &call);                                   \
        int result = isMade(verdict) ? next arguments : 0;                                     \
        return (int)ended(&call, verdict, result);                                             \
    }

NAMED(disk_rename, rename, (const char *path, const char *place), (path, place), path, place)
NAMED(disk_unlink, unlink, (const char *path), (path), path, NULL)
NAMED(disk_mkdir, mkdir, (const char *path, mode_t mode), (path, mode), path, NULL)
NAMED(disk_rmdir, rmdir, (const char *path), (path), path, NULL)

// --- Random numbers that a seed repeats.

static uint64_t state;

void simulated_random_begin(uint64_t seed) { state = seed; }

EXPORTED ssize_t getrandom(void *target, size_t size, unsigned flags) {
    (void)flags;
    unsigned char *bytes = target;
    for (size_t index = 0; index < size; index++) {
        state += 0x9E3779B97F4A7C15u;
        uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
        bytes[index] = (unsigned char)(mixed >> 29);
    }
    return (ssize_t)size;
}

// OpenSSL's generator is seeded by more than the call above.
EXPORTED int RAND_bytes(unsigned char *target, int size) { return getrandom(target, (size_t)size, 0) == size; }
