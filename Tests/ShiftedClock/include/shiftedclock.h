// A wall clock that a test moves. See shiftedclock.c.
#pragma once

#include <stdint.h>

// What the file says that SHIFTED_CLOCK names.
struct shifted_clock {
    // How far ahead of the machine's clock it is, in milliseconds; behind where that is negative.
    int64_t offset;
    // Where it stands still, in milliseconds since 1970; 0: it goes on.
    int64_t standing;
};
