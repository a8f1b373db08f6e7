#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The daemon of a temporary store, and a shell that ends it and removes its folder as soon as `lifeline` is closed:
/// by `end`, or by the system when this process is gone.
struct StoreProcess: Sendable {
    let folder: TemporaryFolder
    private let daemon: pid_t
    private let keeper: pid_t
    /// The end of a socket pair whose other end the shell reads from.
    private let lifeline: Int32

    // A daemon that was just killed may still make a file, so removing is retried.
    private static let keeping = """
        read -r _; kill -9 "$1" 2>/dev/null
        for _ in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- "$2" 2>/dev/null && break; sleep 0.1; done
        """

    /// Starts the daemon and the shell.
    ///
    /// - Throws: `StoreStartError.system`; nothing is left behind then.
    init(program: String) throws(StoreStartError) {
        folder = try TemporaryFolder()
        let ends: (one: Int32, other: Int32)
        do throws(StoreStartError) {
            ends = try Platform.socketPair()
        } catch {
            rmdir(folder.path)
            throw error
        }
        defer { close(ends.one) }
        lifeline = ends.other
        do throws(StoreStartError) {
            let words = [program, "--data", folder.data, "--socket", folder.socket]
            daemon = try ChildProcess.start(words, input: nil, output: folder.trace)
        } catch {
            close(lifeline)
            unlink(folder.trace)
            rmdir(folder.path)
            throw error
        }
        do throws(StoreStartError) {
            let words = ["/bin/sh", "-c", StoreProcess.keeping, "sh", "\(daemon)", folder.path]
            keeper = try ChildProcess.start(words, input: ends.one, output: "/dev/null")
        } catch {
            ChildProcess.kill(daemon)
            ChildProcess.reap(daemon)
            close(lifeline)
            throw error
        }
    }

    /// True once the daemon has ended.
    var hasEnded: Bool { ChildProcess.hasEnded(daemon, waits: false) }

    /// Kills the daemon, and waits until it is gone and its folder is removed.
    func end() {
        ChildProcess.kill(daemon)
        _ = ChildProcess.hasEnded(daemon, waits: true)
        close(lifeline)
        // The daemon's process ID is not reused before it is reaped, so the shell kills no other process.
        ChildProcess.reap(keeper)
        ChildProcess.reap(daemon)
    }
}

// The search for the daemon's program.
extension StoreProcess {
    /// Returns the path of `stored`: as given, else in the folder `STORYKEEP_BIN`, else in `PATH`.
    ///
    /// - Throws: `StoreStartError.noProgram` with every path that was tried.
    static func program(_ explicit: String?) throws(StoreStartError) -> String {
        let environment = ProcessInfo.processInfo.environment
        let folders =
            [environment["STORYKEEP_BIN"]] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let found = folders.compactMap(\.self).filter { !$0.isEmpty }.map { $0 + "/stored" }
        let paths = explicit.map { [$0] } ?? found
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { throw .noProgram(paths: paths) }
        return path
    }
}

/// The folder of a temporary store, for this user alone.
struct TemporaryFolder: Sendable {
    let path: String

    /// Makes a folder in `TMPDIR`, or in `/tmp` where that is absent or too long for a socket's path.
    ///
    /// - Throws: `StoreStartError.system`.
    init() throws(StoreStartError) {
        let name = "/storykeep-XXXXXX"
        let wished = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let isUsable = wished.hasPrefix("/") && (wished + name + "/s").utf8.count <= Platform.longestPath
        var template = Array(((isUsable ? wished : "/tmp") + name).utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(call: "mkdtemp", reason: reason(errno)) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    var data: String { path + "/data" }
    var socket: String { path + "/s" }
    var trace: String { path + "/trace" }

    /// The last line that the daemon printed; empty where it printed none.
    var lastTraceLine: String {
        let text = String(decoding: FileManager.default.contents(atPath: trace) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }
}

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
