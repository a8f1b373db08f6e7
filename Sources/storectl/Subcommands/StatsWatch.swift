import Glibc
import StoryBrowser
import StoryClient

/// The page of `stats --watch`, which is redrawn each second, even while the store is unreachable.
struct StatsWatch {
    private static let interval: Duration = .seconds(1)
    /// The time between checks of the terminal's size.
    private static let look: Duration = .milliseconds(200)
    /// The longest wait for a reply, since the page does not read keys meanwhile.
    private static let patience: Duration = .seconds(2)

    private let invocation: Invocation
    private var connection: StoreConnection?
    private var before: StatsSample?
    private var sample: StatsSample?
    /// Times and positions of the last minute, the oldest first.
    private var history: [(time: ContinuousClock.Instant, count: UInt64)] = []
    /// The reason why there is no newer sample; nil when there is one.
    private var loss: String?
    private var encoder = ScreenEncoder(hasColours: Terminal.areColoursWanted)

    /// Takes the first sample, before the terminal is taken.
    ///
    /// - Throws: the reason why the store does not reply.
    init(_ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        try ask()
    }

    /// Runs until a key or a signal ends it.
    mutating func run() throws(CommandError) -> ExitCode {
        let terminal = try RawTerminal(for: "stats --watch", instead: "stats")
        defer { terminal.giveBack() }
        guard terminal.send(Array(ScreenEncoder.entering.utf8), unless: invocation.interruption) else {
            return .interrupted
        }
        var next = ContinuousClock.now + StatsWatch.interval
        while true {
            guard terminal.send(encoder.bytes(for: page(terminal.size)), unless: invocation.interruption) else {
                return .interrupted
            }
            if let code = wait(until: min(next, .now + StatsWatch.look)) { return code }
            guard ContinuousClock.now >= next else { continue }
            next = .now + StatsWatch.interval
            refresh()
        }
    }

    private mutating func ask() throws(CommandError) {
        let connection = if let connection { connection } else { try invocation.connect() }
        connection.timeout = min(invocation.timeout, StatsWatch.patience)
        self.connection = connection
        let reply = try Answerer(connection).ask("STATS")
        (before, sample) = (sample, StatsSample(reply))
        if let sample { history.append((sample.time, sample.count("position"))) }
        history = history.suffix(Top.State.remembered)
    }

    /// Asks again, over a new connection where the last one was lost.
    private mutating func refresh() {
        do throws(CommandError) {
            try ask()
            loss = nil
        } catch {
            (connection, before) = (nil, nil)
            history = []
            loss = StatsWatch.sentence(error)
        }
    }

    private static func sentence(_ error: CommandError) -> String {
        switch error {
        case .store(.cannotConnect(let path, let reason)): "no store answers (\(reason)) at \(path); still trying"
        case .store(let error): "no store answers (\(error)); still trying"
        case .refused(let refusal, _): "\(refusal.sentence); still trying"
        case .usage(let sentence), .system(let sentence), .full(let sentence): sentence
        case .silent: "no store answers; still trying"
        }
    }

    private func page(_ size: Size) -> Screen {
        guard let sample else { return Screen([], size) }
        let lines = StatsPage(sample, after: before, Sparkline.rates(history)).lines(
            columns: size.columns, rows: size.rows - 1)
        let body = lines.enumerated().map { index, line in Line(line, index == 0 ? .bold : []) }
        let room = Array(repeating: Line(), count: max(0, size.rows - 1 - body.count))
        let end = loss.map { Line($0, .red) } ?? Line("q quit", .dim)
        return Screen(body + room + [end], size)
    }

    /// Waits for a key or a signal; nil where neither ends the page.
    private func wait(until time: ContinuousClock.Instant) -> ExitCode? {
        var polled = [STDIN_FILENO, invocation.interruption].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = max(0, (time - .now).inSeconds * 1_000)
        guard poll(&polled, 2, Int32(milliseconds.rounded(.up))) >= 0 || errno == EINTR else { return .interrupted }
        if polled[1].revents != 0 { return .interrupted }
        guard polled[0].revents != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return nil }
        guard count > 0, !bytes[..<count].contains(0x03) else { return .interrupted }
        return bytes[..<count].contains(UInt8(ascii: "q")) ? .done : nil
    }
}
