#pragma once

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// A file of the page.
struct cpg_file {
    /// The name, as it follows the slash in an address.
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// The number of files.
extern const size_t cpg_count;

/// Returns the file with a number from 0 below `cpg_count`.
struct cpg_file cpg_file_at(size_t number);

#if defined(__cplusplus)
}
#endif
