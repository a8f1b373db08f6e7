// A wall clock that jumps or stands still, preloaded into a daemon:
//
//     SHIFTED_CLOCK=FILE LD_PRELOAD=.build/release/libshiftedclock.so stored …
//
// The file holds a `struct shifted_clock`, and whoever writes to it moves the clock of the process at once. Clocks that
// are no wall clock go on as they do.

#define _GNU_SOURCE
#include "shiftedclock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static struct shifted_clock *shift;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SHIFTED_CLOCK");
    if (!path) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) abort();
    shift = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (shift == MAP_FAILED) abort();
    close(file);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result != 0 || clock != CLOCK_REALTIME || !shift) return result;
    int64_t standing = __atomic_load_n(&shift->standing, __ATOMIC_RELAXED);
    int64_t now = standing ? standing : (int64_t)time->tv_sec * 1000 + time->tv_nsec / 1000000;
    if (!standing) now += __atomic_load_n(&shift->offset, __ATOMIC_RELAXED);
    time->tv_sec = now / 1000;
    time->tv_nsec = now % 1000 * 1000000;
    return 0;
}
