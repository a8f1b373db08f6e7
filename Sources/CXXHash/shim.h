#pragma once

// The library itself, for large inputs and for streaming.
#include <xxhash.h>

// For more than a key or a name the library uses the widest vectors of the processor: that takes half the time of the
// compiled-in code for the 400 bytes of a record, and a quarter for a block. The hashes are the same.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
static inline uint64_t xxhi_64_of_many(const void *_Nullable bytes, size_t count, uint64_t seed) {
    return XXH3_64bits_withSeed_dispatch(bytes, count, seed);
}
#else
static inline uint64_t xxhi_64_of_many(const void *_Nullable bytes, size_t count, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}
#endif

// Most inputs are keys of some ten bytes: a call into a library costs more than the hash itself, so it is inlined as
// well. From here on the library's names are macros, so Swift imports this half under names of our own.
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct xxhi_hash128 {
    uint64_t low;
    uint64_t high;
} xxhi_hash128;

/// Returns the XXH3-64 hash.
static inline uint64_t xxhi_64(const void *_Nullable bytes, size_t count, uint64_t seed) {
    if (count > 240) return xxhi_64_of_many(bytes, count, seed);
    return XXH3_64bits_withSeed(bytes, count, seed);
}

/// Returns the XXH3-128 hash.
static inline xxhi_hash128 xxhi_128(const void *_Nullable bytes, size_t count, uint64_t seed) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, count, seed);
    const xxhi_hash128 answer = {hash.low64, hash.high64};
    return answer;
}
