#pragma once

// Most of what is hashed is a key of some ten bytes: a call into a library costs more than the hash itself.
// The names of the library are its own macros here, so what Swift sees has names of ours.
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct xxhi_hash128 {
    uint64_t low;
    uint64_t high;
} xxhi_hash128;

/// Asks for memory that will be read soon.
static inline void xxhi_prefetch(const void *_Nonnull bytes, size_t count) {
    for (size_t offset = 0; offset < count; offset += 64) __builtin_prefetch((const char *)bytes + offset);
}

/// XXH3-64.
static inline uint64_t xxhi_64(const void *_Nullable bytes, size_t count, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}

/// XXH3-128.
static inline xxhi_hash128 xxhi_128(const void *_Nullable bytes, size_t count, uint64_t seed) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, count, seed);
    const xxhi_hash128 answer = {hash.low64, hash.high64};
    return answer;
}
