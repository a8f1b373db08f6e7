import Glibc
import StoryCore
import StoryServer
import StoryStorage

/// Writes all of the text to a file descriptor.
func say(_ text: String, on descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { return }
        rest = rest.dropFirst(max(count, 0))
    }
}

func readFile(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while bytes.count < 1 << 20 {
        let byte = getc(file)
        guard byte != EOF else { break }
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    // A directory can be opened, but not read.
    guard ferror(file) == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self)
}

func environment() -> [String: String] {
    var values: [String: String] = [:]
    for name in ["STORED_DATA", "STORED_SOCKET", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME"] {
        if let value = getenv(name) { values[name] = String(cString: value) }
    }
    return values
}

let trace = Trace(now: Clock.system.now) { line in
    line.withUnsafeBytes { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}

StandardStreams.hold()
do {
    let runDirectory = DefaultPaths.runDirectory(uid: getuid())
    let paths = DefaultPaths(
        environment: environment(), uid: getuid(), hasRunDirectory: access(runDirectory, W_OK) == 0)
    switch try ServerConfiguration.read(Array(CommandLine.arguments.dropFirst()), paths: paths, readFile: readFile) {
    case .help: say(DaemonHelp.text, on: STDOUT_FILENO)
    case .manual: say(DaemonHelp.manual, on: STDOUT_FILENO)
    case .version: say("stored \(ProgramVersion.number)\n", on: STDOUT_FILENO)
    case .check(let configuration):
        say("the settings are right; data \(configuration.data), socket \(configuration.socket)\n", on: STDOUT_FILENO)
    case .print(let configuration): say(ServerSetting.file(configuration), on: STDOUT_FILENO)
    case .serve(let configuration):
        exit(
            try Daemon.run(
                configuration, clock: .system, trace: trace,
                environment: { name in getenv(name).map { String(cString: $0) } }))
    }
} catch let error as ServerConfiguration.UsageError {
    say("stored: \(error.message)\n", on: STDERR_FILENO)
    exit(2)
} catch let error as StartError {
    say("stored: \(error.message)\n", on: STDERR_FILENO)
    exit(error.exitCode)
}
