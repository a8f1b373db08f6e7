#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The process calls of a temporary store.
enum ChildProcess {
    #if canImport(Darwin)
        private typealias Actions = posix_spawn_file_actions_t?
        private typealias Attributes = posix_spawnattr_t?
        private static let noActions: Actions = nil
        private static let noAttributes: Attributes = nil
    #else
        private typealias Actions = posix_spawn_file_actions_t
        private typealias Attributes = posix_spawnattr_t
        private static var noActions: Actions { Actions() }
        private static var noAttributes: Attributes { Attributes() }
    #endif

    /// Starts a program in a process group of its own, so that Ctrl-C ends this process alone, with no signal blocked.
    ///
    /// - Parameter words: the program's path and its arguments.
    /// - Parameter input: the descriptor of its standard input; nil: an empty input.
    /// - Parameter output: the file for its output and errors.
    /// - Throws: `StoreStartError.system`.
    static func start(_ words: [String], input: Int32?, output: String) throws(StoreStartError) -> pid_t {
        var actions = noActions
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var attributes = newGroup()
        defer { posix_spawnattr_destroy(&attributes) }
        var process = pid_t()
        let arguments = words.map { strdup($0) }
        defer { arguments.forEach { free($0) } }
        let code = posix_spawn(&process, words[0], &actions, &attributes, arguments + [nil], environ)
        guard code == 0 else { throw .system(call: "posix_spawn of \(words[0])", reason: reason(code)) }
        return process
    }

    private static func newGroup() -> Attributes {
        var attributes = noAttributes
        posix_spawnattr_init(&attributes)
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK))
        return attributes
    }

    /// Returns true once a child has ended; it must still be reaped.
    static func hasEnded(_ process: pid_t, waits: Bool) -> Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOWAIT | (waits ? 0 : WNOHANG)
        while waitid(P_PID, id_t(process), &information, Int32(options)) != 0 {
            if errno != EINTR { return true }
        }
        return information.si_signo != 0
    }

    static func kill(_ process: pid_t) { _ = signalProcess(process, SIGKILL) }

    /// Waits for a child's end and frees its process ID.
    static func reap(_ process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}

/// Calls `kill`, under a name that no method hides.
private func signalProcess(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }
