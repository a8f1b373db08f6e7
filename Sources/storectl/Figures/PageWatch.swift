import Glibc
import StoryBrowser
import StoryClient

/// The content of a page that is drawn again each second, from the newest sample.
protocol WatchedContent {
    associatedtype Sample

    /// The verb of the tool that shows it, and the one for programs.
    var verb: String { get }
    var instead: String { get }
    /// The last line of the page, with its keys.
    var keys: String { get }
    /// Asks the store for a sample.
    func sample(_ store: Answerer) throws(CommandError) -> Sample
    mutating func add(_ sample: Sample)
    /// Notes that the store is lost, so that the next sample may be another one's.
    mutating func lost()
    /// Takes a key that does not end the page.
    mutating func pressed(_ key: Key)
    /// Returns the page, in at most the given number of columns and rows.
    func lines(columns: Int, rows: Int) -> [Line]
}

extension WatchedContent {
    mutating func pressed(_ key: Key) {}
}

extension Invocation {
    /// Shows a sample; with `--watch` again each second, until a signal or a key ends it: on a terminal as a page, else
    /// each sample below the one before.
    ///
    /// - Parameters:
    ///   - isDrawn: false where the options ask for lines.
    ///   - hasGaps: whether an empty line is between two samples.
    ///   - show: writes a sample, beside the one before.
    func watch<Content: WatchedContent>(
        _ content: Content, isDrawn: Bool, hasGaps: Bool,
        show: (Content.Sample, Content.Sample?) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitCode {
        let isWatching = arguments.has("watch")
        if isWatching, isDrawn, Terminal.isConversation, Terminal.obeysSequences { return try draw(content) }
        if isWatching { LostReader.endsProcess() }
        let store = Answerer(try connect())
        var before: Content.Sample?
        repeat {
            let sample = try content.sample(store)
            if before != nil, hasGaps { try output.line("") }
            try show(sample, before)
            guard isWatching else { return .done }
            try output.flush()
            before = sample
        } while !Interruption.came(within: .seconds(1), on: interruption)
        return .interrupted
    }

    /// Draws a page until a signal or a key ends it.
    func draw(_ content: some WatchedContent) throws(CommandError) -> ExitCode {
        _ = try RawTerminal.check(for: content.verb, instead: content.instead)
        var page = try PageWatch(self, content)
        return try page.run()
    }
}

/// A page that is redrawn each second, even while the store is unreachable.
private struct PageWatch<Content: WatchedContent> {
    private static var interval: Duration { .seconds(1) }
    /// The time between checks of the terminal's size.
    private static var look: Duration { .milliseconds(200) }
    /// The longest wait for a reply, since the page does not read keys meanwhile.
    private static var patience: Duration { .seconds(2) }

    private let invocation: Invocation
    private var connection: StoreConnection?
    private var content: Content
    /// The reason why there is no newer sample; nil when there is one.
    private var loss: String?
    private var encoder = ScreenEncoder(hasColours: Terminal.areColoursWanted)
    private var keys = KeyDecoder()

    /// Asks for the first sample, before the terminal is taken.
    ///
    /// - Throws: the reason why the store does not reply.
    init(_ invocation: Invocation, _ content: Content) throws(CommandError) {
        (self.invocation, self.content) = (invocation, content)
        try ask()
    }

    /// Runs until a key or a signal ends it.
    mutating func run() throws(CommandError) -> ExitCode {
        let terminal = try RawTerminal(for: content.verb, instead: content.instead)
        defer { terminal.giveBack() }
        guard terminal.send(Array(ScreenEncoder.entering.utf8), unless: invocation.interruption) else {
            return .interrupted
        }
        var next = ContinuousClock.now + Self.interval
        while true {
            guard terminal.send(encoder.bytes(for: page(terminal.size)), unless: invocation.interruption) else {
                return .interrupted
            }
            if let code = wait(until: min(next, .now + Self.look), terminal) { return code }
            guard ContinuousClock.now >= next else { continue }
            next = .now + Self.interval
            refresh()
        }
    }

    private mutating func ask() throws(CommandError) {
        let connection = if let connection { connection } else { try invocation.connect(within: Self.patience) }
        connection.timeout = min(invocation.timeout, Self.patience)
        self.connection = connection
        content.add(try content.sample(Answerer(connection)))
    }

    /// Asks again, over a new connection where the last one was lost.
    private mutating func refresh() {
        do throws(CommandError) {
            try ask()
            loss = nil
        } catch {
            connection = nil
            content.lost()
            loss = Self.sentence(error)
        }
    }

    private static func sentence(_ error: CommandError) -> String {
        switch error {
        case .store(.unreachable(let path, let reason, _)): "no store answers (\(reason)) at \(path); still trying"
        case .store(let error): "no store answers (\(error.sentence)); still trying"
        case .refused(let refusal, _): "\(refusal.sentence); still trying"
        case .usage(let sentence), .system(let sentence), .full(let sentence): sentence
        case .silent: "no store answers; still trying"
        }
    }

    private func page(_ size: Size) -> Screen {
        let lines = content.lines(columns: size.columns, rows: size.rows - 1)
        let body = lines.enumerated().map { index, line in index == 0 ? line.styled(.bold) : line }
        let room = Array(repeating: Line(), count: max(0, size.rows - 1 - body.count))
        let end = loss.map { Line($0, .red) } ?? Line(content.keys, .dim)
        return Screen(body + room + [end], size)
    }

    /// Waits for a key or a signal; nil where neither ends the page.
    private mutating func wait(until time: ContinuousClock.Instant, _ terminal: RawTerminal) -> ExitCode? {
        var polled = [STDIN_FILENO, invocation.interruption, Suspension.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = max(0, (time - .now).inSeconds * 1_000)
        guard poll(&polled, 3, Int32(milliseconds.rounded(.up))) >= 0 || errno == EINTR else { return .interrupted }
        if polled[1].revents != 0 { return .interrupted }
        if let signal = Suspension.take() { return pause(signal, terminal) }
        guard polled[0].revents != 0 else {
            // An Escape byte in front of nothing is a key of its own.
            _ = keys.flush()
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return nil }
        guard count > 0 else { return .interrupted }
        for key in keys.keys(bytes[..<count]) {
            switch key {
            case .control("c"): return .interrupted
            case .character("q"): return .done
            case .control("z"): if let code = pause(.stop, terminal) { return code }
            default: content.pressed(key)
            }
        }
        return nil
    }

    /// Leaves the terminal to the shell while the process is stopped; an exit code where the terminal is gone then.
    private mutating func pause(_ signal: Suspension.Signal, _ terminal: RawTerminal) -> ExitCode? {
        terminal.pause(signal)
        encoder = ScreenEncoder(hasColours: Terminal.areColoursWanted)
        let isSent = terminal.send(Array(ScreenEncoder.entering.utf8), unless: invocation.interruption)
        return isSent ? nil : .interrupted
    }
}
