import Glibc
import StoryBrowser
import StoryClient

/// `storectl browse`: the browser, its world, and the terminal.
enum Browse {
    static let subcommand = Subcommand(
        name: "browse", summary: "shows the store on the terminal, live", operand: .none,
        options: [
            Option("as", "ID", "the user whom it acts for: who likes, and who is the sender of what is new"),
            Option("timings", "FILE", "appends a line for each message: its name, and how long its update took"),
        ],
        details: [
            "Stories newest first and as they arrive, pages with their whole past, users, conversations, photos; content",
            "is posted and revised in forms. The key ? says what keys do, q ends it. It needs 80 columns and 24 lines.",
        ],
        examples: ["storectl browse", "storectl browse --as 007"],
        run: { invocation throws(CommandError) in try Browse.run(invocation) })

    static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let middleware = try timeLogger(invocation.arguments.value("timings"))
        let frames = try Frames<BrowserState>()
        // Told before the terminal is taken: nobody listens, this user may not connect, or there is none of that name.
        _ = try RawTerminal.check(for: "browse", instead: "list or tail")
        let connection = try invocation.connect()
        if let user = invocation.arguments.value("as") {
            _ = try Answerer(connection).ask(RequestLine("GET", "users/\(user)").text)
        }
        let terminal = try RawTerminal(for: "browse", instead: "list or tail")
        defer { terminal.giveBack() }
        let (stream, input) = AsyncStream<BrowserMessage>.makeStream()
        let world = StoreWorld(connection.address, timeout: invocation.timeout, input: stream)
        let runtime = ApplicationRuntime(
            Browser(user: invocation.arguments.value("as")), middleware: middleware, executor: world, source: world,
            renderer: frames)
        Task { await runtime.start() }
        var loop = ScreenLoop(terminal, frames, input, interruption: invocation.interruption)
        let code = loop.run()
        Task { await runtime.stop() }
        return code
    }

    private typealias TimeMiddleware = any Middleware<BrowserState, BrowserMessage, BrowserCommand>

    /// What measures updates, where a file for that is named.
    private static func timeLogger(_ path: String?) throws(CommandError) -> [TimeMiddleware] {
        guard let path else { return [] }
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw .usage("--timings cannot be written: \(path): \(String(cString: strerror(errno)))")
        }
        return [
            TimeLogger<BrowserState, BrowserMessage, BrowserCommand> { name, time in
                let line = Array("\(name) \(time)\n".utf8)
                _ = write(number, line, line.count)
            }
        ]
    }
}
