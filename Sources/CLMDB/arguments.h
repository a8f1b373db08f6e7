// The words of the command line, from the C library. Swift's own list comes from /proc/self/cmdline, and is empty where
// that is missing.

#include <sys/auxv.h>

/// The count and the words, as the C library passes them to the functions of `.init_array`.
static inline int *clm_argument_count(void) {
    static int count;
    return &count;
}

static inline char ***clm_argument_words(void) {
    static char **words;
    return &words;
}

static inline void clm_keep_arguments(int count, char **words, char **environment) {
    (void)environment;
    *clm_argument_count() = count;
    *clm_argument_words() = words;
}

/// Returns the words of the command line, the program's name first, and their count.
static inline char **clm_arguments(int *count) {
    // Swift imports a header's functions, with their static data, but no other data. The loader runs it before `main`.
    static void (*const keep)(int, char **, char **) __attribute__((section(".init_array"), used)) = clm_keep_arguments;
    *count = *clm_argument_count();
    return *clm_argument_words();
}

/// Returns the path that this process was started by.
static inline const char *clm_program_path(void) { return (const char *)getauxval(AT_EXECFN); }
