// What libraries have in common that stand before functions of others, most of them preloaded into a program. Whoever
// includes this has defined _GNU_SOURCE before any header.

#pragma once
#include <dlfcn.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default"), used))

// The function that would have been called; looked up at the first call, since libraries begin before this one.
static inline void *behind(void **cached, const char *name) {
    void *found = __atomic_load_n(cached, __ATOMIC_RELAXED);
    if (found) return found;
    found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    __atomic_store_n(cached, found, __ATOMIC_RELAXED);
    return found;
}

// Declares `next`, that function with its type.
#define NEXT(result, name, parameters) \
    static void *cached;               \
    result(*next) parameters = (result(*) parameters)behind(&cached, #name)
