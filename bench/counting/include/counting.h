#ifndef STORYKEEP_COUNTING_H
#define STORYKEEP_COUNTING_H

#include <stdint.h>

// The file that COUNTING_FILE names, and what its counts are called there.

enum counting_kind {
    counting_allocations,   // calls of malloc and its like; realloc is one
    counting_allocated,     // bytes that they asked for
    counting_calls,         // system calls, through the C library
    counting_syncs,         // of files: fsync and its like, and writes that sync of their own accord
    counting_written,       // bytes written to regular files, but for standard output and error
    counting_puts,          // entries put into a B-tree
    counting_deletes,       // entries taken from one
    counting_gets,          // look-ups in one, and steps of a cursor
    counting_transactions,  // begun or renewed
    counting_clocks,        // readings of a clock
    counting_times,         // calls that ask for the times of a file: fstat and its like, and statx with such a mask
    COUNTING_KINDS
};

#define COUNTING_NAMES                                                                           \
    "allocations", "allocatedBytes", "systemCalls", "syncs", "writtenBytes", "puts", "deletes", \
        "gets", "transactions", "clockReadings", "fileTimes"

struct counting_record {
    char name[24];        // ends with a zero byte
    uint64_t loop;        // of the thread that loaded the library
    uint64_t background;  // of all others
};

struct counting_file {
    uint64_t count;  // how many records follow; 0 until all is ready
    struct counting_record records[COUNTING_KINDS];
};

#endif
