// Everything that one or more processes do to the files below a folder, and every byte that they send, in one order.
// Preloaded into the release build of `stored`:
//
//     LD_PRELOAD=.build/release/librecorder.so RECORDER_FILE=/dev/shm/record RECORDER_ROOT=/dev/shm/root stored …
//
// RECORDER_FILE must be there, with its head and its full size: it is mapped, so what was recorded outlives a killed
// process (include/recorder.h). A call has a number when it begins and one when it ends: what a sync covers ended
// before the sync began. Other preloaded libraries may stand behind this one: each call goes on to the next, and what
// that answers is what is recorded.

#define _GNU_SOURCE
#include "recorder.h"
#include "preloaded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 4096

static struct recorder_head *head;
static const char *root;
static size_t rootLength;
// Descriptors of files and folders below the root: 1, and 2 for LMDB's lock file, which is written through its map.
static unsigned char below[DESCRIPTORS];

static uint64_t tick(void) { return __atomic_add_fetch(&head->clock, 1, __ATOMIC_SEQ_CST); }

static int isBelow(int fd) { return fd >= 0 && fd < DESCRIPTORS ? __atomic_load_n(&below[fd], __ATOMIC_ACQUIRE) : 0; }

static int isPathBelow(const char *path) {
    return head && path && strncmp(path, root, rootLength) == 0 && (path[rootLength] == '/' || path[rootLength] == 0);
}

static int endsWith(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

// A call that begins now, with room for its paths and bytes.
static struct recorder_call *begun(enum recorder_kind kind, int fd, const char *path, const char *other, size_t bytes) {
    size_t first = path ? strlen(path) : 0, second = other ? strlen(other) : 0;
    size_t size = (sizeof(struct recorder_call) + first + second + bytes + 7) & ~(size_t)7;
    uint64_t at = __atomic_fetch_add(&head->end, size, __ATOMIC_SEQ_CST);
    if (at + size > head->size) abort();
    struct recorder_call *call = (struct recorder_call *)((char *)head + at);
    call->size = (uint32_t)size;
    call->kind = kind;
    call->process = getpid();
    call->fd = fd;
    call->path = (uint32_t)first;
    call->other = (uint32_t)second;
    call->bytes = bytes;
    if (first) memcpy(call + 1, path, first);
    if (second) memcpy((char *)(call + 1) + first, other, second);
    call->begin = tick();
    return call;
}

static char *bytesOf(struct recorder_call *call) { return (char *)(call + 1) + call->path + call->other; }

static void ended(struct recorder_call *call, int64_t result) {
    int error = errno;
    call->result = result;
    call->error = result < 0 ? error : 0;
    __atomic_store_n(&call->end, tick(), __ATOMIC_RELEASE);
    errno = error;
}

static void strange(const char *what, int fd) {
    if (head && isBelow(fd) == 1) ended(begun(recorder_strange, fd, what, NULL, 0), 0);
}

// Begins when a process does: before `main`, where nothing else may be asked of the C library than what it has ready.
__attribute__((constructor)) static void begin(void) {
    // What the process starts, such as the symbolizer of a sanitizer, is not recorded.
    unsetenv("LD_PRELOAD");
    const char *path = getenv("RECORDER_FILE");
    root = getenv("RECORDER_ROOT");
    if (!path || !root) return;
    rootLength = strlen(root);
    NEXT(int, open, (const char *, int, ...));
    int descriptor = next(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) abort();
    void *map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (map == MAP_FAILED) abort();
    head = map;
    ended(begun(recorder_begins, -1, NULL, NULL, 0), 0);
}

// --- Descriptors

static int opened(int fd, const char *path, int flags, struct recorder_call *call) {
    if (call) {
        call->fd = fd;
        call->flags = flags;
        ended(call, fd);
        if (fd >= DESCRIPTORS) abort();
        if (fd >= 0) __atomic_store_n(&below[fd], endsWith(path, "/lock.mdb") ? 2 : 1, __ATOMIC_RELEASE);
    }
    return fd;
}

#define OPEN(name)                                                                             \
    EXPORTED int name(const char *path, int flags, ...) {                                      \
        NEXT(int, name, (const char *, int, ...));                                             \
        va_list rest;                                                                          \
        va_start(rest, flags);                                                                 \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                \
        va_end(rest);                                                                          \
        struct recorder_call *call =                                                           \
            isPathBelow(path) ? begun(recorder_opens, -1, path, NULL, 0) : NULL;               \
        return opened(next(path, flags, mode), path, flags, call);                             \
    }

OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                           \
    EXPORTED int name(int folder, const char *path, int flags, ...) {                          \
        NEXT(int, name, (int, const char *, int, ...));                                        \
        va_list rest;                                                                          \
        va_start(rest, flags);                                                                 \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                \
        va_end(rest);                                                                          \
        strange("openat within a folder", folder);                                             \
        struct recorder_call *call =                                                           \
            isPathBelow(path) ? begun(recorder_opens, -1, path, NULL, 0) : NULL;               \
        return opened(next(folder, path, flags, mode), path, flags, call);                     \
    }

OPENAT(openat)
OPENAT(openat64)

EXPORTED int creat(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

EXPORTED int close(int fd) {
    NEXT(int, close, (int));
    if (head && isBelow(fd)) {
        __atomic_store_n(&below[fd], 0, __ATOMIC_RELEASE);
        ended(begun(recorder_closes, fd, NULL, NULL, 0), 0);
    }
    return next(fd);
}

// Two descriptors of one file are not followed.
#define DUPLICATE(name, parameters, arguments)         \
    EXPORTED int name parameters {                     \
        NEXT(int, name, parameters);                   \
        strange("a second descriptor: " #name, fd);    \
        return next arguments;                         \
    }

DUPLICATE(dup, (int fd), (fd))
DUPLICATE(dup2, (int fd, int other), (fd, other))
DUPLICATE(dup3, (int fd, int other, int flags), (fd, other, flags))

EXPORTED int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    NEXT(int, accept4, (int, struct sockaddr *, socklen_t *, int));
    int made = next(fd, address, length, flags);
    if (head && made >= 0) {
        struct recorder_call *call = begun(recorder_accepts, made, NULL, NULL, 0);
        ended(call, made);
    }
    return made;
}

// --- Bytes

static struct recorder_call *writing(int fd, off_t at, const struct iovec *parts, int number) {
    size_t size = 0;
    for (int part = 0; part < number; part++) size += parts[part].iov_len;
    struct recorder_call *call = begun(recorder_writes, fd, NULL, NULL, size);
    char *target = bytesOf(call);
    for (int part = 0; part < number; part++) {
        memcpy(target, parts[part].iov_base, parts[part].iov_len);
        target += parts[part].iov_len;
    }
    call->at = at;
    call->flags = fcntl(fd, F_GETFL);
    return call;
}

static struct recorder_call *saying(int fd, const void *bytes, size_t size) {
    struct recorder_call *call = begun(recorder_sends, fd, NULL, NULL, size);
    memcpy(bytesOf(call), bytes, size);
    return call;
}

// Once something may fail as a bad disk has it fail: RECORDER_FAILS=log.journal:3 is the third sync of a file of this
// name. Of LMDB's first pages, whose writes sync themselves, RECORDER_FAILS=write:log/data.mdb:3 is the third one: it is
// done, so that the cache has it, and told as failed.
static int mustFail(int fd, int isWrite) {
    static int64_t count;
    char link[64], path[4096];
    const char *wanted = getenv("RECORDER_FAILS");
    if (!wanted || isWrite != (strncmp(wanted, "write:", 6) == 0)) return 0;
    if (isWrite && !(fcntl(fd, F_GETFL) & O_DSYNC)) return 0;
    if (isWrite) wanted += 6;
    const char *colon = strrchr(wanted, ':');
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    ssize_t name = colon ? colon - wanted : 0;
    if (!colon || length < name || strncmp(path + length - name, wanted, (size_t)name) != 0) return 0;
    return __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) == atoll(colon + 1);
}

static off_t place(int fd) {
    struct stat status;
    if (fcntl(fd, F_GETFL) & O_APPEND) return fstat(fd, &status) == 0 ? status.st_size : 0;
    return lseek(fd, 0, SEEK_CUR);
}

#define WRITE(name, parameters, arguments, from, parts, number)                              \
    EXPORTED ssize_t name parameters {                                                       \
        NEXT(ssize_t, name, parameters);                                                     \
        if (!head || isBelow(fd) != 1) return next arguments;                                \
        struct recorder_call *call = writing(fd, from, parts, number);                       \
        ssize_t result = next arguments;                                                     \
        if (mustFail(fd, 1)) errno = EIO, result = -1;                                       \
        ended(call, result);                                                                 \
        return result;                                                                       \
    }

#define ONE ((struct iovec[]){{(void *)bytes, size}})

WRITE(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), at, ONE, 1)
WRITE(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), at, ONE, 1)
WRITE(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number), place(fd), parts, number)
WRITE(pwritev, (int fd, const struct iovec *parts, int number, off_t at), (fd, parts, number, at), at, parts, number)
WRITE(pwritev64, (int fd, const struct iovec *parts, int number, off64_t at), (fd, parts, number, at), at, parts,
      number)
WRITE(pwritev2, (int fd, const struct iovec *parts, int number, off_t at, int flags), (fd, parts, number, at, flags),
      at, parts, number)
WRITE(pwritev64v2, (int fd, const struct iovec *parts, int number, off64_t at, int flags),
      (fd, parts, number, at, flags), at, parts, number)

EXPORTED ssize_t write(int fd, const void *bytes, size_t size) {
    NEXT(ssize_t, write, (int, const void *, size_t));
    struct recorder_call *call = NULL;
    if (head && isBelow(fd) == 1) call = writing(fd, place(fd), ONE, 1);
    if (head && fd == STDOUT_FILENO) call = saying(fd, bytes, size);
    ssize_t result = next(fd, bytes, size);
    if (call) ended(call, result);
    return result;
}

EXPORTED ssize_t send(int fd, const void *bytes, size_t size, int flags) {
    NEXT(ssize_t, send, (int, const void *, size_t, int));
    if (!head) return next(fd, bytes, size, flags);
    struct recorder_call *call = saying(fd, bytes, size);
    ssize_t result = next(fd, bytes, size, flags);
    ended(call, result);
    return result;
}

EXPORTED void *mmap(void *at, size_t size, int access, int flags, int fd, off_t from) {
    NEXT(void *, mmap, (void *, size_t, int, int, int, off_t));
    if ((flags & MAP_SHARED) && (access & PROT_WRITE)) strange("a map that is written to", fd);
    return next(at, size, access, flags, fd, from);
}

EXPORTED void *mmap64(void *at, size_t size, int access, int flags, int fd, off64_t from) {
    return mmap(at, size, access, flags, fd, from);
}

// --- Sizes and syncs

#define CHANGE(kind, name, parameters, arguments, to)                                        \
    EXPORTED int name parameters {                                                           \
        NEXT(int, name, parameters);                                                         \
        if (!head || !isBelow(fd)) return next arguments;                                    \
        struct recorder_call *call = begun(kind, fd, NULL, NULL, 0);                         \
        call->at = to;                                                                       \
        int result = next arguments;                                                         \
        ended(call, result);                                                                 \
        return result;                                                                       \
    }

CHANGE(recorder_truncates, ftruncate, (int fd, off_t size), (fd, size), size)
CHANGE(recorder_truncates, ftruncate64, (int fd, off64_t size), (fd, size), size)

#define SYNC(name)                                                                           \
    EXPORTED int name(int fd) {                                                              \
        NEXT(int, name, (int));                                                              \
        if (!head || !isBelow(fd)) return next(fd);                                          \
        struct recorder_call *call = begun(recorder_syncs, fd, NULL, NULL, 0);               \
        int result = mustFail(fd, 0) ? (errno = EIO, -1) : next(fd);                            \
        ended(call, result);                                                                 \
        return result;                                                                       \
    }

SYNC(fsync)
SYNC(fdatasync)

// This one answers the error itself.
#define ALLOCATE(name, offset)                                                               \
    EXPORTED int name(int fd, offset at, offset size) {                                      \
        NEXT(int, name, (int, offset, offset));                                              \
        if (!head || !isBelow(fd)) return next(fd, at, size);                                \
        struct recorder_call *call = begun(recorder_allocates, fd, NULL, NULL, 0);           \
        call->at = at + size;                                                                \
        int result = next(fd, at, size);                                                     \
        ended(call, result == 0 ? 0 : -1);                                                   \
        return result;                                                                       \
    }

ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

#define UNKNOWN(name, parameters, arguments)             \
    EXPORTED int name parameters {                       \
        NEXT(int, name, parameters);                     \
        strange(#name, fd);                              \
        return next arguments;                           \
    }

UNKNOWN(fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
UNKNOWN(fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))
UNKNOWN(sync_file_range, (int fd, off64_t at, off64_t size, unsigned flags), (fd, at, size, flags))
UNKNOWN(syncfs, (int fd), (fd))

// --- Names

#define NAMED(kind, name, parameters, arguments, path, other)                                \
    EXPORTED int name parameters {                                                           \
        NEXT(int, name, parameters);                                                         \
        if (!isPathBelow(path)) return next arguments;                                       \
        struct recorder_call *call = begun(kind, -1, path, other, 0);                        \
        int result = next arguments;                                                         \
        ended(call, result);                                                                 \
        return result;                                                                       \
    }

NAMED(recorder_renames, rename, (const char *path, const char *place), (path, place), path, place)
NAMED(recorder_unlinks, unlink, (const char *path), (path), path, NULL)
NAMED(recorder_makes, mkdir, (const char *path, mode_t mode), (path, mode), path, NULL)
NAMED(recorder_removes, rmdir, (const char *path), (path), path, NULL)
NAMED(recorder_strange, link, (const char *path, const char *place), (path, place), path, place)
NAMED(recorder_strange, symlink, (const char *target, const char *path), (target, path), path, NULL)
NAMED(recorder_strange, truncate, (const char *path, off_t size), (path, size), path, NULL)
NAMED(recorder_strange, remove, (const char *path), (path), path, NULL)
NAMED(recorder_strange, renameat2, (int from, const char *path, int to, const char *place, unsigned flags),
      (from, path, to, place, flags), path, place)
NAMED(recorder_strange, renameat, (int from, const char *path, int to, const char *place), (from, path, to, place),
      path, place)
NAMED(recorder_strange, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), path, NULL)
NAMED(recorder_strange, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), path, NULL)
