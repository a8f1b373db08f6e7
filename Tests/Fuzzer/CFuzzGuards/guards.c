#include "CFuzzGuards.h"

#include <stdint.h>

// swiftc marks each edge with a guard, and libFuzzer no longer listens to guards. So each guard gets a counter of the
// kind that libFuzzer does listen to. `scripts/fuzz` links with `--wrap` for both functions.

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);

#define MOST_EDGES (1 << 20)

static uint8_t counters[MOST_EDGES];
static uintptr_t places[MOST_EDGES][2];
static uint32_t used = 1;

void __wrap___sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    if (start == stop || *start) { return; }
    const uint32_t first = used;
    for (uint32_t *guard = start; guard < stop && used < MOST_EDGES; guard++) {
        places[used][0] = (uintptr_t)guard;
        *guard = used++;
    }
    __sanitizer_cov_8bit_counters_init(counters + first, counters + used);
    __sanitizer_cov_pcs_init(places[first], places[used]);
}

void __wrap___sanitizer_cov_trace_pc_guard(uint32_t *guard) { counters[*guard]++; }
