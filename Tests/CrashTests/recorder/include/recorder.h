#ifndef STORYKEEP_RECORDER_H
#define STORYKEEP_RECORDER_H

#include <stdint.h>

// The file that RECORDER_FILE names: this head, and from byte 4096 on one call behind the other, each at a multiple of
// 8. Several processes may write to it at once or one after the other.

struct recorder_head {
    uint64_t clock;  // counted up at the beginning and at the end of each call
    uint64_t end;    // where the next call goes
    uint64_t size;   // of the file
};

enum recorder_kind {
    recorder_begins,     // a process; its descriptors are new
    recorder_opens,      // `flags` are those of open, `path`
    recorder_closes,
    recorder_writes,     // `at` is the offset, `flags` those of the descriptor, the bytes
    recorder_truncates,  // `at` is the new size
    recorder_allocates,  // `at` is where the room ends
    recorder_syncs,
    recorder_renames,    // `path`, `other`
    recorder_unlinks,    // `path`
    recorder_makes,      // a folder: `path`
    recorder_removes,    // a folder: `path`
    recorder_accepts,    // a connection: `fd`
    recorder_sends,      // to a connection, or to standard output: the bytes
    recorder_strange,    // something that the images do not know: `path` says what
};

struct recorder_call {
    uint32_t size;  // of all of it, a multiple of 8
    uint32_t kind;
    uint64_t begin;  // the clock before the call
    uint64_t end;    // the clock after it; 0 while it is under way
    int64_t result;
    int64_t at;
    int32_t error;
    int32_t process;
    int32_t fd;
    int32_t flags;
    uint32_t path;   // bytes of the path, which come first
    uint32_t other;  // bytes of the other path
    uint64_t bytes;  // how many come last
};

#endif
