import FoundationEssentials
import Glibc
import StoryBrowser
import StoryClient

/// The subcommand `top`: the daemon's figures on one live screen.
enum TopRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "top", summary: "shows the daemon's work on one live screen: rates, latencies, clients, conditions",
            operand: .none, options: [Option("once", nil, "prints the screen once, after a second of counting")],
            details: [
                "Events a second are a line of blocks, a second each. Of each client it shows the slowest subscription.",
                "The key s sorts the clients by lag, requests or bytes; q ends it.",
            ],
            examples: ["storectl top", "storectl top --once"]),
        run: { invocation throws(CommandError) in try TopRun.run(invocation) })

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        guard !invocation.arguments.has("once") else { return try printOnce(invocation) }
        let frames = try Frames<Top.State>()
        _ = try RawTerminal.check(for: "top", instead: "top --once")
        let connection = try invocation.connect()
        let terminal = try RawTerminal(for: "top", instead: "top --once")
        defer { terminal.giveBack() }
        let (stream, input) = AsyncStream<Top.Message>.makeStream()
        let world = TopWorld(connection.address, input: stream)
        let runtime = ApplicationRuntime(Top(), executor: world, source: world, renderer: frames)
        Task { await runtime.start() }
        var loop = ScreenLoop(terminal, frames, input, interruption: invocation.interruption)
        let code = loop.run()
        Task { await runtime.stop() }
        return code
    }

    /// Prints the screen of two samples, which are taken a second apart.
    private static func printOnce(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let answerer = Answerer(try invocation.connect())
        var state = Top.State()
        if let size = Terminal.size(of: STDOUT_FILENO) {
            state.size = Size(columns: size.columns, rows: size.rows)
        }
        state.add(try sample(answerer))
        guard !Interruption.came(within: .seconds(1), on: invocation.interruption) else { return .interrupted }
        state.add(try sample(answerer))
        let lines = TopView(state).lines.prefix(max(1, state.size.rows - 1))
        for line in Screen(Array(lines), Size(columns: state.size.columns, rows: lines.count)).text {
            try invocation.output.line(line)
        }
        return .done
    }

    private static func sample(_ answerer: Answerer) throws(CommandError) -> TopSample {
        let metrics = MetricsText(try MetricsRun.ask(answerer)).openMetrics
        var clients: [JSONValue] = []
        for row in try answerer.ask("CLIENTS").rows { clients.append(try decoded(row.json)) }
        return TopSample(
            stats: try decoded(try answerer.ask("STATS").final.json), metrics: metrics, clients: clients, at: .now)
    }

    private static func decoded(_ json: [UInt8]) throws(CommandError) -> JSONValue {
        do { return try JSONDecoder().decode(JSONValue.self, from: Data(json)) } catch {
            throw .system("the store's answer is no JSON: \(error)")
        }
    }
}
