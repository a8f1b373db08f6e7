import Glibc
import StoryCore
import StoryServer
import StoryStorage

/// Prints a text to standard output.
func say(_ text: String) { BlockingOutput.write(Array(text.utf8), to: STDOUT_FILENO) }

let traceQueue = TraceQueue(descriptor: STDERR_FILENO, now: Clock.system.now)

/// Ends the process with a message, after the queued lines of the trace.
func refuse(_ message: String, _ exitCode: Int32) -> Never {
    traceQueue.add(Array("stored: \(message)\n".utf8))
    traceQueue.flush()
    exit(exitCode)
}

let trace = Trace(now: Clock.system.now, to: traceQueue)

StandardStreams.hold()
MapFaults.endProcess(as: "stored")
ProcessInput.keepOwnersRights()
do {
    switch try ServerConfiguration.read(
        try ProcessInput.words(), paths: ProcessInput.paths(), readFile: SettingsFile.read)
    {
    case .help: say(DaemonHelp.text)
    case .manual: say(DaemonHelp.manual)
    case .version: say("stored \(ProgramVersion.number)\n")
    case .check(let configuration):
        _ = try Daemon.certificates(of: configuration, trace)
        say("settings OK: data \(configuration.data), socket \(configuration.socket)\n")
    case .create(let configuration):
        let created = try Daemon.create(configuration, clock: .system, trace: trace)
        trace.flush()
        say("\(created)\n")
    case .print(let configuration): say(ServerSetting.file(configuration))
    case .serve(let configuration):
        let variables = try ServiceManager.variables()
        exit(try Daemon.run(configuration, clock: .system, trace: trace, environment: { variables[$0] }))
    }
} catch let error as SettingsError {
    refuse(error.message, 2)
} catch let error as NotUTF8 {
    refuse("\(error)", 2)
} catch let error as StartError {
    refuse(error.message, error.exitCode)
}
