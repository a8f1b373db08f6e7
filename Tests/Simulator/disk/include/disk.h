#ifndef STORYKEEP_SIMULATED_DISK_H
#define STORYKEEP_SIMULATED_DISK_H

#include <stdint.h>

// The calls on files and folders that are named by a path from the working directory on: there lies what is simulated.

enum disk_kind {
    disk_open,      // `flags` are those of open
    disk_close,
    disk_write,     // `at` is the offset, `flags` those of the descriptor, `bytes`, `size`
    disk_truncate,  // `at` is the new size
    disk_allocate,  // `at` is where the room ends
    disk_sync,
    disk_rename,    // to `other`
    disk_unlink,
    disk_mkdir,
    disk_rmdir,
    disk_read,      // `at` is the offset, `size`; told only where it failed
    disk_lock,      // `flags` are those of flock; never told
};

struct disk_call {
    int32_t kind;
    int32_t fd;  // -1 where the call has none
    int32_t flags;
    const char *path;   // NULL where the call has none
    const char *other;
    int64_t at;
    int64_t size;
    const void *bytes;
};

enum disk_action {
    disk_goes_on,
    disk_fails,       // the call is not made
    disk_fails_late,  // it is made, and told as failed
    disk_is_skipped,  // it is not made, and told as done
    disk_is_cut,      // of a write, the first `size` bytes are made
};

struct disk_verdict {
    int32_t action;
    int32_t error;
    int64_t size;
};

// `judge` is asked before each call, `told` hears how it ended: what it gave, or less than 0.
void simulated_disk_begin(void *context, struct disk_verdict (*judge)(void *, const struct disk_call *),
                          void (*told)(void *, const struct disk_call *, int64_t));

// While it is off, calls are neither judged nor told.
void simulated_disk_set(int isOn);

// What the kernel's random numbers begin with from now on.
void simulated_random_begin(uint64_t seed);

#endif
