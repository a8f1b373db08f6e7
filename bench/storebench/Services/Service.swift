import Foundation
import Glibc

/// A server that the harness starts in a directory of its own and stops again.
final class Service {
    let name: String
    /// What answers on: a socket's path, a socket's directory or a URL, as the server has it.
    let address: String
    private let process: Process
    nonisolated(unsafe) private static var running: [Service] = []

    /// Starts `command`, its output in a file of the directory, and waits until `isReady`.
    init(
        _ name: String, _ command: [String], in directory: Folder, address: String,
        isReady: () -> Bool
    ) throws(BenchError) {
        self.name = name
        self.address = address
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let trace = directory.path + "/\(name).trace"
        guard FileManager.default.createFile(atPath: trace, contents: nil),
            let file = FileHandle(forWritingAtPath: trace)
        else { throw BenchError("cannot write \(trace)") }
        process.standardOutput = file
        process.standardError = file
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch { throw BenchError("cannot start \(name): \(error)") }
        Service.running.append(self)
        let end = Clock.now() + 60_000_000_000
        var isUp = isReady()
        while !isUp, process.isRunning, Clock.now() < end {
            usleep(1_000)
            isUp = isReady()
        }
        guard isUp else {
            stop()
            let said = (try? String(contentsOfFile: trace, encoding: .utf8)) ?? ""
            throw BenchError("\(name) did not start: \(said.split(separator: "\n").last ?? "it says nothing")")
        }
    }

    var pid: Int32 { process.processIdentifier }

    func stop() {
        Service.running.removeAll { $0 === self }
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Sends it a signal, and waits for nothing.
    func send(_ signal: Int32) { if process.isRunning { Glibc.kill(pid, signal) } }

    /// Ends it with SIGKILL, so that nothing is written down.
    func kill() {
        Service.running.removeAll { $0 === self }
        guard process.isRunning else { return }
        Glibc.kill(pid, SIGKILL)
        process.waitUntilExit()
    }

    static func stopAll() { stop(running) }

    /// Stops servers, those that were started last first: they may need the others to end.
    static func stop(_ servers: [Service]) {
        for service in running.reversed() where servers.contains(where: { $0 === service }) { service.stop() }
    }

    /// Lets all of the server's threads run on these cores only, as `taskset` writes them.
    func pin(to cores: String) { _ = try? Command.run(["taskset", "-apc", cores, String(pid)]) }

    /// How long its first thread was ready to run and had no core so far.
    var nanosecondsWithoutCore: UInt64 { Schedule.of(pid).waited }

    /// How long its first thread, which is its loop, had a core so far.
    var nanosecondsOnCore: UInt64 { Schedule.of(pid).worked }

    /// The memory that is not of a file, in MiB.
    var anonymousMebibytes: Double { Double(status("RssAnon") ?? 0) / 1_048_576 }

    /// A figure of /proc/PID/status in bytes.
    func status(_ figure: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(figure + ":") {
            return Int(line.filter(\.isNumber)).map { $0 * 1_024 }
        }
        return nil
    }
}

/// What went wrong, in a sentence that says what to do.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A directory of a run. It is removed with all that is in it.
final class Folder {
    let path: String

    /// In `STOREBENCH_DIR`, else in the system's temporary directory. Every user may enter it: PostgreSQL has its own.
    init(_ name: String) throws(BenchError) {
        let base = ProcessInfo.processInfo.environment["STOREBENCH_DIR"] ?? NSTemporaryDirectory()
        path = URL(fileURLWithPath: base).appendingPathComponent("sb-\(name)-\(UInt32.random(in: 0...0xFFFFF))").path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch { throw BenchError("cannot make \(path): \(error)") }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Removes what is in it.
    func clear() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            try? FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    /// The bytes that its files have on disk, below this name.
    func bytesOnDisk(_ name: String) -> Int {
        guard let words = try? Command.run(["du", "-sB1", path + "/" + name]).split(separator: "\t"),
            let first = words.first
        else { return 0 }
        return Int(first) ?? 0
    }
}

/// A command that is run to its end.
enum Command {
    /// What it printed on standard output.
    static func run(_ words: [String], input: FileHandle = .nullDevice) throws(BenchError) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch { throw BenchError("cannot run \(words[0]): \(error)") }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("\(words.joined(separator: " ")): \(said.split(separator: "\n").last ?? "failed")")
        }
        return text
    }

    /// How long a command takes, from its start to its end. Foundation's `Process` looks only every 50 ms whether a
    /// process has ended, so it is waited for here without it.
    static func seconds(_ words: [String]) throws(BenchError) -> Double {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var (pid, status): (pid_t, Int32) = (0, 0)
        let began = Clock.now()
        guard posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw BenchError("cannot run \(words[0])")
        }
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw BenchError("\(words[0]) cannot be waited for") }
        }
        let seconds = Clock.seconds(since: began)
        guard status == 0 else { throw BenchError("\(words.joined(separator: " ")) failed") }
        return seconds
    }

    /// Where a program is, if it is there.
    static func find(_ name: String) -> String? {
        (try? run(["which", name]))?.split(separator: "\n").first.map(String.init)
    }
}
