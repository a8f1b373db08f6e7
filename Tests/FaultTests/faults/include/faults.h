// The file that the library shares with whoever made it fail (FAULTS_FILE), all numbers of 8 bytes.
#pragma once

#include <stdint.h>

// What a call does, as a bit each.
enum faults_kind {
    faults_write = 1,
    faults_sync = 2,
    faults_open = 4,
    faults_create = 8,
    faults_rename = 16,
    faults_remove = 32,
    faults_truncate = 64,
    faults_read = 128,
    faults_send = 256,
    faults_accept = 512,
    faults_lock = 1024,
};
#define FAULTS_KINDS 11

enum faults_action {
    faults_fail = 1,        // not done; the error is told
    faults_fail_after = 2,  // done, and the error is told all the same
    faults_shorten = 3,     // half of the bytes are written, and that is told
    faults_pretend = 4,     // not done, and told as done: a disk that lies
    faults_kill_before = 5,
    faults_kill_after = 6,
    faults_kill_within = 7, // half of the bytes are written
    faults_delay = 8,       // done so many microseconds later
};

struct faults_rule {
    uint64_t kinds;   // which calls it counts
    uint64_t number;  // the first one that it strikes, from 1
    uint64_t count;   // how many it strikes
    uint64_t action;
    uint64_t value;   // an errno, or microseconds
    uint64_t after;   // it counts nothing before rule `after` (from 1) has struck; 0: at once
    uint64_t seen;    // what it has counted
    uint64_t struck;  // how many of them it struck
    char path[64];    // only files whose path has this in it
    char hit[128];    // the first call that it struck
};

#define FAULTS_RULES 6

struct faults_file {
    uint64_t armed;                // 0: nothing is counted and nothing fails
    uint64_t calls[FAULTS_KINDS];  // how many calls of each kind there were
    uint64_t unused[4];
    struct faults_rule rules[FAULTS_RULES];
};
