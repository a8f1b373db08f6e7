// A disk that fails, and a process that is killed, at a call that can be named. Preloaded into the release build of
// `stored`:
//
//     LD_PRELOAD=.build/release/libfaults.so FAULTS_ROOT=/tmp/store FAULTS_FILE=/tmp/faults FAULTS_TICK=10 stored …
//
// Calls on files below FAULTS_ROOT are counted, and so is what is sent to sockets. The rules that say which of them fails
// lie in FAULTS_FILE, mapped, so that they can be changed at any moment, and counting goes on over restarts
// (include/faults.h). FAULTS_TICK is how many milliseconds the daemon's ticks are apart, in place of a hundred. Nothing
// here allocates. What another preloaded library does is done as well: it is asked for by its place in their order.

#define _GNU_SOURCE
#include "faults.h"
#include "preloaded.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FILES 1024

static struct faults_file *shared;
static const char *root;
static uint64_t tick;
// The files below the root that are open, by their descriptors.
static char paths[FILES][192];

__attribute__((constructor)) static void begin(void) {
    // What the process starts, such as the symbolizer of a sanitizer, gets no faults.
    unsetenv("LD_PRELOAD");
    const char *path = getenv("FAULTS_FILE");
    root = getenv("FAULTS_ROOT");
    const char *milliseconds = getenv("FAULTS_TICK");
    if (milliseconds) tick = strtoull(milliseconds, NULL, 10);
    if (!path || !root) return;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    struct faults_file *file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (file != MAP_FAILED) __atomic_store_n(&shared, file, __ATOMIC_RELEASE);
}

static const char *pathOf(int fd) {
    return fd >= 0 && fd < FILES && paths[fd][0] ? paths[fd] : NULL;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void waitFor(uint64_t microseconds) {
    struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

// What is to become of a call, and with which error.
struct verdict {
    uint64_t action;
    int error;
};

static struct verdict judge(uint64_t kind, const char *name, const char *path) {
    struct verdict verdict = {0, 0};
    struct faults_file *file = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    if (!file || !path || !__atomic_load_n(&file->armed, __ATOMIC_ACQUIRE)) return verdict;
    __atomic_fetch_add(&file->calls[__builtin_ctzll(kind)], 1, __ATOMIC_RELAXED);
    for (int index = 0; index < FAULTS_RULES; index++) {
        struct faults_rule *rule = &file->rules[index];
        if (!(rule->kinds & kind) || (rule->path[0] && !strstr(path, rule->path))) continue;
        if (rule->after && !__atomic_load_n(&file->rules[rule->after - 1].struck, __ATOMIC_ACQUIRE)) continue;
        uint64_t number = __atomic_add_fetch(&rule->seen, 1, __ATOMIC_ACQ_REL);
        if (number < rule->number || number - rule->number >= rule->count) continue;
        if (__atomic_fetch_add(&rule->struck, 1, __ATOMIC_ACQ_REL) == 0)
            snprintf(rule->hit, sizeof rule->hit, "%s %s", name, path);
        if (rule->action == faults_delay) waitFor(rule->value);
        else if (!verdict.action) verdict = (struct verdict){rule->action, (int)rule->value};
    }
    if (verdict.action == faults_kill_before) die();
    return verdict;
}

// What a call that was done answers in the end.
static inline int isTold(struct verdict verdict) {
    if (verdict.action == faults_kill_after || verdict.action == faults_kill_within) die();
    if (verdict.action != faults_fail_after) return 1;
    errno = verdict.error;
    return 0;
}

// --- Opening. The path of what is opened below the root is kept until it is closed.

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < FILES && root && strncmp(path, root, strlen(root)) == 0)
        snprintf(paths[fd], sizeof paths[fd], "%s", path);
    return fd;
}

static struct verdict judgeOpening(const char *name, const char *path, int flags) {
    int isBelow = root && strncmp(path, root, strlen(root)) == 0;
    return judge(flags & O_CREAT ? faults_create : faults_open, name, isBelow ? path : NULL);
}

#define OPEN(name, parameters, call)                                                        \
    EXPORTED int name parameters {                                                          \
        va_list rest;                                                                       \
        va_start(rest, flags);                                                              \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;             \
        va_end(rest);                                                                       \
        struct verdict verdict = judgeOpening(#name, path, flags);                          \
        if (verdict.action == faults_fail) return errno = verdict.error, -1;                \
        NEXT(int, name, parameters);                                                        \
        int fd = next call;                                                                 \
        if (fd >= 0 && !isTold(verdict)) {                                                  \
            int error = errno;                                                              \
            close(fd);                                                                      \
            return errno = error, -1;                                                       \
        }                                                                                   \
        return opened(fd, path);                                                            \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

EXPORTED int close(int fd) {
    NEXT(int, close, (int));
    if (fd >= 0 && fd < FILES) paths[fd][0] = 0;
    return next(fd);
}

// --- Calls that answer 0 or -1.

#define CALL(name, parameters, arguments, kind, path)                             \
    EXPORTED int name parameters {                                                \
        struct verdict verdict = judge(kind, #name, path);                        \
        if (verdict.action == faults_fail) return errno = verdict.error, -1;      \
        if (verdict.action == faults_pretend) return 0;                           \
        NEXT(int, name, parameters);                                              \
        int result = next arguments;                                              \
        return result == 0 && !isTold(verdict) ? -1 : result;                     \
    }

static const char *below(const char *path) {
    return root && strncmp(path, root, strlen(root)) == 0 ? path : NULL;
}

CALL(fsync, (int fd), (fd), faults_sync, pathOf(fd))
CALL(fdatasync, (int fd), (fd), faults_sync, pathOf(fd))
CALL(flock, (int fd, int operation), (fd, operation), faults_lock, pathOf(fd))
CALL(rename, (const char *from, const char *to), (from, to), faults_rename, below(from))
CALL(mkdir, (const char *path, mode_t mode), (path, mode), faults_rename, below(path))
CALL(unlink, (const char *path), (path), faults_remove, below(path))
CALL(rmdir, (const char *path), (path), faults_remove, below(path))
CALL(ftruncate, (int fd, off_t size), (fd, size), faults_truncate, pathOf(fd))
CALL(ftruncate64, (int fd, off64_t size), (fd, size), faults_truncate, pathOf(fd))
CALL(fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), faults_truncate, pathOf(fd))

// These answer the error itself.
#define ALLOCATE(name, parameters, arguments)                                     \
    EXPORTED int name parameters {                                                \
        struct verdict verdict = judge(faults_truncate, #name, pathOf(fd));       \
        if (verdict.action == faults_fail) return verdict.error;                  \
        if (verdict.action == faults_pretend) return 0;                           \
        NEXT(int, name, parameters);                                              \
        int result = next arguments;                                              \
        return result == 0 && !isTold(verdict) ? verdict.error : result;          \
    }

ALLOCATE(posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size))
ALLOCATE(posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size))

// --- Bytes. `half` writes the first half of them.

// How many bytes that is. A call that ends early ends between sectors, as the system's do, which copies whole pages: what
// is one sector is written whole. Nor does a kill cut what is less than one.
static size_t halfOf(size_t size, struct verdict verdict) {
    size_t half = (size + 1) / 2;
    if (half >= 512) return half & ~(size_t)511;
    if (size >= 512) return 512;
    return verdict.action == faults_kill_within ? size : half;
}

#define BYTES(name, parameters, arguments, kind, path, half)                      \
    EXPORTED ssize_t name parameters {                                            \
        struct verdict verdict = judge(kind, #name, path);                        \
        if (verdict.action == faults_fail) return errno = verdict.error, -1;      \
        if (verdict.action == faults_pretend) return (ssize_t)(size);             \
        NEXT(ssize_t, name, parameters);                                          \
        ssize_t result;                                                           \
        if (verdict.action == faults_shorten || verdict.action == faults_kill_within) { \
            half                                                                  \
        } else {                                                                  \
            result = next arguments;                                              \
        }                                                                         \
        return result >= 0 && !isTold(verdict) ? -1 : result;                     \
    }

static size_t total(const struct iovec *parts, int number) {
    size_t sum = 0;
    for (int index = 0; index < number; index++) sum += parts[index].iov_len;
    return sum;
}

// The first of the parts' bytes; returns in how many parts.
static int halved(const struct iovec *parts, int number, struct iovec *into, size_t left) {
    int count = 0;
    while (left > 0 && count < number) {
        into[count] = parts[count];
        if (into[count].iov_len > left) into[count].iov_len = left;
        left -= into[count++].iov_len;
    }
    return count;
}

#define HALF(...) result = next(__VA_ARGS__);
#define HALVES(...)                                    \
    struct iovec first[IOV_MAX_PARTS];                 \
    int few = halved(parts, number < IOV_MAX_PARTS ? number : IOV_MAX_PARTS, first, halfOf(total(parts, number), verdict)); \
    result = next(fd, first, few __VA_ARGS__);
#define IOV_MAX_PARTS 128

BYTES(write, (int fd, const void *bytes, size_t size), (fd, bytes, size), faults_write, pathOf(fd),
      HALF(fd, bytes, halfOf(size, verdict)))
BYTES(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), faults_write, pathOf(fd),
      HALF(fd, bytes, halfOf(size, verdict), at))
BYTES(pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), faults_write,
      pathOf(fd), HALF(fd, bytes, halfOf(size, verdict), at))
#define size total(parts, number)
BYTES(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number), faults_write, pathOf(fd),
      HALVES())
BYTES(pwritev, (int fd, const struct iovec *parts, int number, off_t at), (fd, parts, number, at), faults_write,
      pathOf(fd), HALVES(, at))
BYTES(pwritev64, (int fd, const struct iovec *parts, int number, off64_t at), (fd, parts, number, at), faults_write,
      pathOf(fd), HALVES(, at))
#undef size
BYTES(pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at), faults_read, pathOf(fd),
      HALF(fd, bytes, halfOf(size, verdict), at))
BYTES(pread64, (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at), faults_read, pathOf(fd),
      HALF(fd, bytes, halfOf(size, verdict), at))
BYTES(send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags), faults_send, "",
      HALF(fd, bytes, halfOf(size, verdict), flags))

EXPORTED int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    struct verdict verdict = judge(faults_accept, "accept4", "");
    if (verdict.action == faults_fail) return errno = verdict.error, -1;
    NEXT(int, accept4, (int, struct sockaddr *, socklen_t *, int));
    return next(fd, address, length, flags);
}

// --- Time.

EXPORTED int uv_timer_start(void *timer, void (*due)(void *), uint64_t first, uint64_t then) {
    NEXT(int, uv_timer_start, (void *, void (*)(void *), uint64_t, uint64_t));
    return tick && then ? next(timer, due, tick, tick) : next(timer, due, first, then);
}
