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
