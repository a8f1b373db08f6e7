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

/// Ends the process with a refusal.
func refuse(_ message: String, _ exitCode: Int32) -> Never {
    say("stored: \(message)\n", on: STDERR_FILENO)
    exit(exitCode)
}

let trace = Trace(now: Clock.system.now) { line in
    line.withUnsafeBytes { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}

StandardStreams.hold()
ProcessInput.keepOwnersRights()
do {
    switch try ServerConfiguration.read(
        try ProcessInput.words(), paths: ProcessInput.paths(), readFile: SettingsFile.read)
    {
    case .help: say(DaemonHelp.text, on: STDOUT_FILENO)
    case .manual: say(DaemonHelp.manual, on: STDOUT_FILENO)
    case .version: say("stored \(ProgramVersion.number)\n", on: STDOUT_FILENO)
    case .check(let configuration):
        say("settings OK: data \(configuration.data), socket \(configuration.socket)\n", on: STDOUT_FILENO)
    case .print(let configuration): say(ServerSetting.file(configuration), on: STDOUT_FILENO)
    case .serve(let configuration):
        let manager = try ServiceVariables.read()
        exit(try Daemon.run(configuration, clock: .system, trace: trace, environment: { manager[$0] }))
    }
} catch let error as ServerConfiguration.UsageError {
    refuse(error.message, 2)
} catch let error as NotUTF8 {
    refuse("\(error)", 2)
} catch let error as StartError {
    refuse(error.message, error.exitCode)
}
