import Glibc
import StoryBrowser
import StoryClient
import StoryCore

/// The subcommand `browse`: the browser, its connection to the store, and the terminal.
enum Browse {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "browse", summary: "shows the store on the terminal, live", operand: .optional("WHAT"),
            operandChoices: Kinds.names + ["models", "streams", "log"],
            options: [
                Option("as", "ID", "the user that it acts for: the one who likes, and the sender of new content"),
                Option("timings", "FILE", "appends a line for each message: its name, and how long its update took"),
            ],
            details: [
                "It begins with all that the store holds: the kinds, declared models, streams, and the log. Lists are live,",
                "pages have their whole past, and content is posted and revised in forms. WHAT is the first screen: a kind,",
                "models or a model's name, streams, log, or the name of a stream. The key ? explains the keys, q ends it. It",
                "needs 80 columns and 24 lines.",
            ],
            examples: ["storectl browse", "storectl browse orders", "storectl browse stories --as 007"]),
        run: { invocation throws(CommandError) in try Browse.run(invocation) })

    static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let start = try start(invocation.arguments.operands.first)
        let middleware = try timeLogger(invocation.arguments.value("timings"))
        let frames = try Frames<BrowserState>()
        // Reported before the terminal is taken: no daemon listens, this user may not connect, or there is no model or
        // user of that name.
        _ = try RawTerminal.check(for: "browse", instead: "list or tail")
        let connection = try invocation.connect()
        if case .rows(let model, _) = start { try check(model, Answerer(connection)) }
        if let user = invocation.arguments.value("as") {
            _ = try Answerer(connection).ask(RequestLine("GET", "users/\(user)").text)
        }
        let terminal = try RawTerminal(for: "browse", instead: "list or tail")
        defer { terminal.giveBack() }
        let (stream, input) = AsyncStream<BrowserMessage>.makeStream()
        let world = StoreWorld(connection.address, timeout: invocation.timeout, input: stream)
        let runtime = ApplicationRuntime(
            Browser(user: invocation.arguments.value("as"), start: start), middleware: middleware, executor: world,
            source: world, renderer: frames)
        Task { await runtime.start() }
        var loop = ScreenLoop(terminal, frames, input, interruption: invocation.interruption)
        let code = loop.run()
        Task { await runtime.stop() }
        return code
    }

    /// Returns the first screen: a list, a declared model or a stream, by its name.
    private static func start(_ name: String?) throws(CommandError) -> Destination {
        switch name {
        case nil: return .overview
        case "models": return .models
        case "streams": return .categories
        case "log": return .events(.all)
        case let name? where Kinds.names.contains(name): return .rows(of: name)
        case let name? where StreamName(name) != nil: return .events(.stream(name))
        case let name? where Kinds.isModel(name): return .rows(of: name)
        case let name?: throw .usage("browse shows a kind, models, a model, streams, a stream or log, not \"\(name)\"")
        }
    }

    /// Checks that there are rows of a name.
    ///
    /// - Throws: where there are none, all that can be shown.
    private static func check(_ model: String, _ answerer: Answerer) throws(CommandError) {
        do throws(CommandError) {
            _ = try answerer.ask(RequestLine("MODELS", model).text)
        } catch {
            guard case .refused(let refusal, _) = error, refusal.code == .unknown else { throw error }
            let others = (Kinds.names + ["models", "streams", "log"]).joined(separator: ", ")
            throw .usage("\(refusal.message); browse shows \(others), a model or a stream, such as note-1")
        }
    }

    /// Middleware of the browser.
    private typealias TimeMiddleware = any Middleware<BrowserState, BrowserMessage, BrowserCommand>

    /// Returns the middleware that measures updates, if a file for the times is named.
    private static func timeLogger(_ path: String?) throws(CommandError) -> [TimeMiddleware] {
        guard let path else { return [] }
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
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
