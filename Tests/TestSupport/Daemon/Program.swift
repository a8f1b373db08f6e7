import Foundation
package import Glibc

/// How a process ended.
package enum Exit: Equatable {
    case code(Int32)
    case signal(Int32)
}

/// One of the store's programs as a process of its own.
package final class Program {
    package let pid: pid_t
    private var ended: Exit?

    /// Starts a program; what it prints goes to the ends of these files.
    ///
    /// - Parameter environment: what it finds in its environment besides what these tests found, as `NAME=value`.
    package init(
        _ command: [String], environment: [String] = [], input: String = "/dev/null", output: String, errors: String
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let writing = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, writing, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, writing, 0o600)
        // Other tests run in this process, and a program that held their sockets open would hold them up.
        for descriptor in Int32(3)..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Program.resetSignals(&attributes)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let inherited = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        var variables: [UnsafeMutablePointer<CChar>?] = (environment + inherited).map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        var made: pid_t = 0
        let code = posix_spawnp(&made, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SystemRefused(call: "posix_spawn of \(command[0])", code: code) }
        pid = made
    }

    deinit {
        if ended == nil { try? kill() }
    }

    /// Sends a signal that the program carries out in its own time; the three that the system carries out have methods
    /// of their own, which wait until that has happened.
    package func send(_ signal: Int32) {
        precondition(![SIGSTOP, SIGCONT, SIGKILL].contains(signal), "see pause(), resume() and kill()")
        signalled(signal)
    }

    /// Stops it, and returns once each of its threads has stopped (SIGSTOP): from then on it answers nothing.
    package func pause() throws {
        signalled(SIGSTOP)
        try until("each thread of process \(pid) stops: \(threadStates)") {
            poll() != nil || threadStates.allSatisfy { "TtZX".contains($0) }
        }
    }

    /// Lets it go on, and returns once none of its threads is stopped (SIGCONT).
    package func resume() throws {
        signalled(SIGCONT)
        try until("process \(pid) goes on: \(threadStates)") { poll() != nil || !threadStates.contains("T") }
    }

    /// Ends it at once, and returns when it is gone (SIGKILL).
    package func kill() throws {
        signalled(SIGKILL)
        _ = try wait()
    }

    private func signalled(_ signal: Int32) { if ended == nil { Glibc.kill(pid, signal) } }

    /// The state of each of its threads, a letter each, as in proc(5).
    private var threadStates: [Character] {
        let threads = (try? Files.names(in: "/proc/\(pid)/task")) ?? []
        // The name before the state may have any character in it.
        return threads.compactMap { thread in
            let stat = Files.text("/proc/\(pid)/task/\(thread)/stat")
            return stat.lastIndex(of: ")").flatMap { stat[$0...].dropFirst(2).first }
        }
    }

    /// How it ended; nil while it runs.
    package func poll() -> Exit? {
        if let ended { return ended }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        let signal = status & 0x7F
        ended = signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
        return ended
    }

    /// The memory of the process that is no file map, in bytes.
    package var anonymousMemory: Int {
        let line = Files.text("/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) * 1_024
    }

    /// Waits for its end.
    package func wait(within seconds: Int = TestTimeout.seconds) throws -> Exit {
        try until("process \(pid) ends", within: seconds) { poll() != nil }
        return poll() ?? .signal(0)
    }

    /// Starts a program without what it would inherit: the threads that tests run on block all signals, and whoever
    /// runs the tests may ignore some, as `nohup` does.
    ///
    /// - Parameter flags: other attributes that are set.
    static func resetSignals(_ attributes: inout posix_spawnattr_t, flags: Int32 = 0) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var ignored = sigset_t()
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        sigaddset(&ignored, SIGXFSZ)
        sigaddset(&ignored, SIGHUP)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | flags))
    }

    /// Where a program was built: STORYKEEP_BIN, else the release build, else beside these tests.
    package static func path(_ name: String) throws -> String {
        let tests = testFolder
        let release = tests.deletingLastPathComponent().appendingPathComponent("release")
        let folders: [String?] = [ProcessInfo.processInfo.environment["STORYKEEP_BIN"], release.path, tests.path]
        for case let folder? in folders where access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
        throw NotBuilt(name: name)
    }

    private static var testFolder: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }
}

/// A program that these tests want is missing.
package struct NotBuilt: Error, CustomStringConvertible {
    package let name: String
    package var description: String { "\(name) is not built: swift build -c release --product \(name)" }
}
