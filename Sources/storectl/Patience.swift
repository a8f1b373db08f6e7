import StoryClient

/// The policy of reconnecting to a lost store: for how long, and with which pauses.
struct Patience {
    private static let firstPause: Duration = .milliseconds(100)
    private static let longestPause: Duration = .seconds(2)

    private let limit: Duration
    private let interruption: Int32
    private var pause = Patience.firstPause
    private var deadline: ContinuousClock.Instant?
    /// The reason why the store was lost; later errors, from the attempts to reconnect, are not reported.
    private var loss: CommandError?
    /// True once the store was reached; a store that never was is not waited for.
    private(set) var isBegun = false

    /// Reads the option `--reconnect`.
    ///
    /// - Throws: a usage error when it is not a number of seconds.
    init(_ invocation: Invocation) throws(CommandError) {
        let text = invocation.arguments.value("reconnect") ?? "20"
        guard let seconds = Double(text), seconds >= 0, seconds <= 86_400 * 365 else {
            throw .usage("--reconnect is a number of seconds, not \"\(text)\"")
        }
        limit = .milliseconds(Int64(seconds * 1_000))
        interruption = invocation.interruption
    }

    /// Resets the pauses, since the store was reached.
    mutating func reached() {
        if deadline != nil { Output.complain(raw: "connected again") }
        isBegun = true
        deadline = nil
        pause = Patience.firstPause
    }

    /// Waits before the next attempt.
    ///
    /// - Throws: the first loss, when the time for attempts is over; `interrupted`.
    mutating func wait(_ loss: CommandError) throws(CommandError) {
        if deadline == nil {
            deadline = .now + limit
            self.loss = loss
            if limit > .zero, case .store(let error) = loss {
                Output.complain("\(error.sentence); trying to connect again")
            }
        }
        guard let deadline, .now < deadline else { throw self.loss ?? loss }
        let pause = min(pause, deadline - .now)
        self.pause = min(self.pause * 2, Patience.longestPause)
        if Interruption.came(within: pause, on: interruption) { throw .store(.interrupted) }
    }
}

extension CommandError {
    /// True when the store could not be reached, or went away.
    var isLoss: Bool {
        switch self {
        case .store(let error):
            switch error {
            case .unreachable, .draining, .busy, .connectionLost, .system: true
            default: false
            }
        case .refused(let refusal, _): refusal.code == .draining || refusal.code == .busy
        case .usage, .system, .full, .silent: false
        }
    }
}
