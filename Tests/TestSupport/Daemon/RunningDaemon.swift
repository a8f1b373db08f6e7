package import Glibc
package import StoryCore

/// A `stored` on a data directory and a socket of its own, which can be ended and started again.
package final class RunningDaemon {
    package let folder: Scratch
    package let data: String
    package let socket: String
    private let options: [String]
    private let environment: [String]
    private let command: [String]
    private let executable: String?
    private let served: String?
    private var program: Program?

    /// - Parameter fileLimit: how large its files may become, in bytes; nil: without limit.
    /// - Parameter environment: what it finds in its environment besides what these tests found, as `NAME=value`.
    /// - Parameter command: a program that starts it, with its arguments.
    /// - Parameter executable: the path of `stored`; nil: where it was built.
    /// - Parameter served: where it is connected to; nil: at the socket that it is told of.
    /// - Parameter isStarted: false where the test starts it by itself.
    package init(
        limits: Limits = Limits(), data: String? = nil, fileLimit: Int? = nil, environment: [String] = [],
        options: [String] = [], command: [String] = [], executable: String? = nil, served: String? = nil,
        isStarted: Bool = true
    ) throws {
        self.executable = executable
        self.served = served
        self.command = command
        folder = try Scratch()
        self.environment = environment
        self.data = data ?? folder.place("data")
        socket = folder.place("s")
        let configuration = folder.place("config")
        let lines = ["connections", "subscriptions"].map { name in
            "\(name) = \(name == "connections" ? limits.connections : limits.subscriptions)\n"
        }
        // On a busy machine any request may be slow: a test that wants the trace of one says from when on.
        try Files.write(lines.joined() + "slow = 0\n", to: configuration)
        self.options = ["--config", configuration] + options
        guard isStarted else { return }
        try start(fileLimit: fileLimit)
        // The connection that was greeted is closed, and the daemon counts it until it has closed its end. Nobody else
        // knows its path.
        try until("the daemon has no connection") { openSockets <= 1 }
    }

    /// What it printed, of all its starts.
    package var trace: String { Files.text(folder.place("trace")) }

    package var pid: pid_t { program?.pid ?? 0 }

    /// How it ended; nil while it runs.
    package var exit: Exit? { program?.poll() }

    /// True once it has printed the text; it prints beside the loop, which may have gone on.
    package func traces(_ text: String) throws -> Bool {
        try until("it prints \(text); \(trace.suffix(500))") { exit != nil || trace.contains(text) }
        return trace.contains(text)
    }

    /// Starts it and waits until it greets and has printed that it serves.
    package func start(fileLimit: Int? = nil) throws {
        let starts = trace.split(separator: "\n").count { $0.contains(" ready version=") }
        try launch(fileLimit: fileLimit)
        try until("the daemon greets") {
            if let exit { throw TookTooLong(what: "the daemon ended with \(exit): \(trace)") }
            guard let client = try? LineSocket(served ?? socket) else { return false }
            return try client.nextLine()?.hasPrefix("*") == true
        }
        try until("the daemon has printed that it serves") {
            trace.split(separator: "\n").count { $0.contains(" ready version=") } > starts
        }
    }

    /// The number of sockets that have its path, as the kernel lists them: the one that listens, and its ends of
    /// connections.
    private var openSockets: Int {
        Files.text("/proc/net/unix").split(separator: "\n").count { $0.hasSuffix(" \(socket)") }
    }

    /// Starts it without waiting for anything.
    package func launch(fileLimit: Int? = nil) throws {
        let limit = fileLimit.map { ["prlimit", "--fsize=\($0)"] } ?? []
        let stored = [try executable ?? Program.path("stored"), "--data", data, "--socket", socket]
        let trace = folder.place("trace")
        // The environment is the daemon's own: a library that is preloaded may not fit the program that limits it.
        let prefix = limit + command
        let words = prefix.isEmpty ? stored : prefix + ["env"] + environment + stored
        program = try Program(
            words + options, environment: prefix.isEmpty ? environment : [], output: trace, errors: trace)
    }

    package func send(_ signal: Int32) { program?.send(signal) }

    /// Stops it, and returns once each of its threads has stopped.
    package func pause() throws { try program?.pause() }

    /// Lets it go on, and returns once none of its threads is stopped.
    package func resume() throws { try program?.resume() }

    package func wait() throws -> Exit { try program?.wait() ?? .code(0) }

    /// SIGTERM, and how that ended.
    package func stop() throws -> Exit {
        send(SIGTERM)
        return try wait()
    }

    /// Ends it at once, and returns when it is gone.
    package func kill() throws { try program?.kill() }

    /// A connection whose greeting was read.
    package func client() throws -> LineSocket {
        let client = try LineSocket(served ?? socket)
        guard let greeting = try client.nextLine(), greeting.hasPrefix("*") else {
            throw TookTooLong(what: "no greeting came: \(trace)")
        }
        return client
    }

    /// The memory of the process that is no file map, in bytes.
    package var anonymousMemory: Int { program?.anonymousMemory ?? 0 }

    /// How long its loop has run; what others did meanwhile does not count.
    package var processorTime: Duration { ProcessorTime(pid).ran }

    /// What a run of `storectl` came to.
    package struct Run {
        package let exit: Exit
        package let output: String
        package let errors: String
    }

    /// Runs `storectl` on this daemon, or on its data directory while it does not run.
    ///
    /// - Parameter input: what it reads on standard input.
    package func storectl(_ arguments: String..., offline: Bool = false, input: String = "") throws -> Run {
        try storectl(arguments: arguments, offline: offline, input: input)
    }

    package func storectl(arguments: [String], offline: Bool = false, input: String = "") throws -> Run {
        let given = folder.place("input")
        try Files.write(input, to: given)
        let (output, errors) = (folder.place("output"), folder.place("errors"))
        unlink(output)
        unlink(errors)
        let place = offline ? ["--data", data] : ["--socket", socket]
        let command = [try Program.path("storectl")] + place + arguments
        let tool = try Program(command, input: given, output: output, errors: errors)
        let exit = try tool.wait(within: TestTimeout.secondsOfWork)
        return Run(exit: exit, output: Files.text(output), errors: Files.text(errors))
    }

    /// Runs a script of the shell, in which `$S` is `storectl`, `$T` the same on this daemon, and `$D` the folder of the
    /// test.
    package func shell(_ script: String) throws -> Run {
        let (output, errors) = (folder.place("said"), folder.place("said-errors"))
        let tool = try Program.path("storectl")
        let words = "S='\(tool)'; T='\(tool) --socket \(socket)'; D='\(folder.path)'; "
        let shell = try Program(["sh", "-c", words + script], output: output, errors: errors)
        let exit = try shell.wait(within: TestTimeout.secondsOfWork)
        return Run(exit: exit, output: Files.text(output), errors: Files.text(errors))
    }
}
