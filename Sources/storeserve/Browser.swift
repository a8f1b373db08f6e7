import Glibc

/// The browser of the user's desktop.
enum Browser {
    /// Opens an address; returns false where there is no program for it.
    ///
    /// The browser has the signals of a program that was started by hand, and a process group of its own: it stays when
    /// this program ends.
    static func open(_ address: String) -> Bool {
        // Nobody waits for its end.
        signal(SIGCHLD, SIG_IGN)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGCHLD, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = ["xdg-open", address]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        return posix_spawnp(&child, "xdg-open", nil, &attributes, &arguments, environ) == 0
    }
}
