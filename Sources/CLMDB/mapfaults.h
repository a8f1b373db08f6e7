// Ends a process in which access to a memory-mapped file fails: a page that has no block on a full disk, cannot be
// read, or is behind the end of a truncated file (SIGBUS); an address from damaged data (SIGSEGV).
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/// The program's name, for the message. Swift imports a header's functions, with their static data, but no other data.
static inline const char **clm_fault_program(void) {
    static const char *program;
    return &program;
}

/// Appends a text to a line, which must have room for it.
static inline char *clm_fault_text(char *end, const char *text) {
    size_t length = strlen(text);
    memcpy(end, text, length);
    return end + length;
}

/// Writes the signal to stderr in one line, and ends the process with exit code 5. Allocates nothing, and waits for
/// stderr at most 100 ms.
static inline void clm_map_faulted(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code <= 0) {
        // Another process sent it.
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    static int has_faulted;
    while (__atomic_exchange_n(&has_faulted, 1, __ATOMIC_ACQ_REL)) pause();
    char line[512], *end = line;
    end = clm_fault_text(end, *clm_fault_program());
    end = clm_fault_text(end, number == SIGBUS
        ? ": a page of a file could not be read or written through its map (SIGBUS at 0x"
        : ": memory was read that is not there (SIGSEGV at 0x");
    for (int shift = 60; shift >= 0; shift -= 4)
        *end++ = "0123456789abcdef"[(uintptr_t)info->si_addr >> shift & 15];
    end = clm_fault_text(end, number == SIGBUS
        ? "): the disk is full or fails, or a file was cut short; look at the disk and at the kernel's log, then start it again\n"
        : "): a file is damaged, or this is a defect; start it again, then have the store verified\n");
    // A full pipe without a reader must not keep the process from ending.
    struct pollfd output = {STDERR_FILENO, POLLOUT, 0};
    if (poll(&output, 1, 100) == 1 && write(STDERR_FILENO, line, (size_t)(end - line)) < 0) _exit(5);
    _exit(5);
}

/// Installs the handlers of both signals. `program` is not copied and must stay valid.
static inline void clm_end_on_map_faults(const char *program) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    *clm_fault_program() = program;
    // A stack that overflowed cannot hold the handler's frame.
    static char memory[1 << 16];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, 0);
    struct sigaction action = {.sa_sigaction = clm_map_faulted, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, 0);
    sigaction(SIGSEGV, &action, 0);
#else
    // A sanitizer reports more.
    (void)program;
#endif
}
