import StoryClient
import StoryCore

/// The subcommand `tail`: a subscription that is printed, over one connection after another.
struct Tail {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "tail", summary: "prints events, or rows as they change, until it is stopped",
            operand: .optional("events[/STREAM|/CATEGORY-*]|KIND[/ID]"),
            operandChoices: ["events"] + Kinds.names,
            options: [
                Option("from", "P|TIME", "the start: a position or a time (default: the next event)"),
                Option(
                    "until-end", nil,
                    "stop at the current end of the log; starts at the first event unless --from is given"
                ),
                Kinds.types,
                Kinds.tags, Kinds.query,
                Option("log", "ID", "the history that --from is of: another one is refused"),
                Option("limit", "N", "stop after this number of events or rows"),
                Option(
                    "reconnect", "SECONDS",
                    "seconds to keep reconnecting after a lost connection (default 20; 0 = never)"),
                Kinds.minimum,
            ] + Kinds.filters,
            takesModels: true, request: .follow(.subscribe),
            details: [
                "For a row or a list, the present rows come first, then each change, as JSON lines.",
                "When the connection is lost, it reconnects and continues without a gap; rows are all sent again.",
                "When it ends, standard error has the position to resume from. It exits with 3 when the daemon stops,",
                "with 5 when an event is damaged.",
            ],
            examples: [
                "storectl tail --types StoryPosted", "storectl --json tail 'events/story-*' --from 1",
                "storectl tail --until-end --from 2026-11-01T00:00:00Z", "storectl tail messages --recipient 008",
            ]),
        run: { invocation throws(CommandError) in
            var tail = try Tail(invocation)
            return try tail.run()
        })

    private let invocation: Invocation
    private let answers: Answers
    private let target: String
    private let endsAtEnd: Bool
    private var eventsLeft: Int?
    /// True for rows: another run begins with the rows as they are then, wherever this one ended.
    private let isOfRows: Bool
    /// The position from which another connection continues without a gap; nil until it is known.
    private var resume: UInt64?
    /// The positions from which another run continues after the output that was written, and after the buffered output;
    /// each with the number of output bytes before it.
    private var marks: [(count: UInt64, resume: UInt64?)] = [(0, nil)]
    /// The ID of the history that `resume` belongs to.
    private var log: String?
    private var patience: Reconnection

    init(_ invocation: Invocation) throws(CommandError) {
        target =
            try Kinds.isModel(invocation.arguments.operands.first)
            && invocation.arguments.operands.first?.contains("-") != true
            ? invocation.arguments.operand("KIND") : Queries.events(invocation.arguments, orRowsOf: Kinds.names)
        isOfRows = target.prefix { $0 != "/" } != "events"
        endsAtEnd = invocation.arguments.has("until-end")
        // A declared model may have filters of these names.
        let isTagsWrong = isOfRows && !Kinds.isModel(target)
        let wrongForRows = ["from", "types", "log"] + (isTagsWrong ? ["tags", "query"] : [])
        if isOfRows, let wrong = wrongForRows.first(where: invocation.arguments.has) {
            throw .usage("--\(wrong) is for events; tail \(target) begins with what is there now")
        }
        if let limit = invocation.arguments.value("limit") {
            guard let number = Int(limit), number > 0 else {
                throw .usage("--limit is a number above 0, not \"\(limit)\"")
            }
            eventsLeft = number
        }
        patience = try Reconnection(invocation)
        self.invocation = invocation
        answers = invocation.answers
        _ = try request()
    }

    mutating func run() throws(CommandError) -> ExitCode {
        LostReader.endsProcess()
        let result: Result<ExitCode, CommandError>
        do throws(CommandError) {
            let code = try followOn()
            try invocation.output.flush()
            result = .success(code)
        } catch {
            result = .failure(error)
        }
        // Output from before an interruption is written as well; output that cannot be written is not counted.
        if case .failure(.store) = result { try invocation.output.flush() }
        dropWrittenMarks()
        if let resume = marks[0].resume, !isOfRows {
            Output.complain(raw: "resume with --from \(resume)\(log.map { " --log \($0)" } ?? "")")
        }
        if case .failure(.store(.interrupted)) = result { return .interrupted }
        return try result.get()
    }

    /// Follows the subscription over one connection after another.
    private mutating func followOn() throws(CommandError) -> ExitCode {
        while true {
            let loss: CommandError
            do throws(CommandError) {
                let connection = try invocation.connect()
                try subscribe(connection)
                patience.reached()
                return try follow(connection)
            } catch {
                loss = error
            }
            guard loss.isLoss, patience.isBegun else { throw loss }
            try invocation.output.flush()
            try patience.wait(loss)
        }
    }

    private func request() throws(CommandError) -> String {
        let arguments = invocation.arguments
        var request = RequestLine("SUBSCRIBE", target)
        for filter in Kinds.filters { request.add(filter.name, from: arguments) }
        let others = Kinds.modelFilters(arguments, besides: Tail.subcommand.description.options)
        for (name, value) in others { request.add(name, value) }
        if let resume, !isOfRows {
            request.add("from", String(resume))
        } else if let from = arguments.value("from") ?? (endsAtEnd && !isOfRows ? "1" : nil) {
            request.add("from", from)
        }
        for name in ["types", "tags", "query", "min"] { request.add(name, from: arguments) }
        // The last position belongs to the history that the store had then.
        let known = resume != nil && !isOfRows ? log : nil
        if let log = known ?? arguments.value("log") { request.add("log", log) }
        return request.text
    }

    private mutating func subscribe(_ connection: StoreConnection) throws(CommandError) {
        let reply = try Answerer(connection).ask(try request())
        log = ShownJSON(connection.greeting)?.members["log"]?.shown
        guard resume == nil else { return }
        if let from = invocation.arguments.value("from") {
            // The position of a time is known only with the first push.
            resume = UInt64(from)
        } else if endsAtEnd {
            resume = 1
        } else {
            resume = PushMark(reply.final.json).position.map { $0 + 1 }
        }
        mark()
    }

    /// Adds a mark: all output so far is of positions before `resume`.
    private mutating func mark() {
        if marks.count >= 1_024 { dropWrittenMarks() }
        marks.append((invocation.output.count, resume))
    }

    /// Drops all marks before the last one whose output was written.
    private mutating func dropWrittenMarks() {
        let last = marks.lastIndex { $0.count <= invocation.output.writtenCount } ?? 0
        marks.removeFirst(last)
    }

    private mutating func follow(_ connection: StoreConnection) throws(CommandError) -> ExitCode {
        while let push = try next(connection) {
            let mark = PushMark(push.json)
            if mark.position != nil { try answers.event(push) }
            resume = mark.resume ?? mark.following ?? resume
            self.mark()
            if let end = mark.end {
                if end == "draining" { throw .store(.ending) }
                Output.complain("the store ended the subscription: \(end)")
                return mark.isDamage ? .corrupt : .no
            }
            if mark.caughtUp != nil, endsAtEnd {
                if invocation.output.count == 0 { try invocation.output.tellNothing() }
                return .done
            }
            guard mark.position != nil else { continue }
            if let eventsLeft {
                self.eventsLeft = eventsLeft - 1
                if eventsLeft == 1 { return .done }
            }
        }
        throw .store(connection.ending)
    }

    /// Returns the next push; the output is flushed before a wait.
    private mutating func next(_ connection: StoreConnection) throws(CommandError) -> ReplyLine? {
        do throws(ClientError) {
            if let push = try connection.arrivedPush() { return push }
        } catch {
            throw .store(error)
        }
        try invocation.output.flush()
        dropWrittenMarks()
        do throws(ClientError) {
            return try connection.push(within: nil)
        } catch {
            throw .store(error)
        }
    }
}

/// The policy of reconnecting to a lost store: for how long, and with which pauses.
struct Reconnection {
    private static let firstPause: Duration = .milliseconds(100)
    private static let longestPause: Duration = .seconds(2)

    private let limit: Duration
    private let interruption: Int32
    private var pause = Reconnection.firstPause
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
        pause = Reconnection.firstPause
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
        self.pause = min(self.pause * 2, Reconnection.longestPause)
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
            case .syntax, .unknown, .invalid, .notFound, .gone, .exists, .conflict, .conflictingEvent, .keyReused,
                .denied, .held, .lost, .tooLarge, .full, .diverged, .behind, .notLeader, .unavailable, .internal,
                .other, .insecure, .timedOut,
                .interrupted, .unreadableInput, .protocolViolation, .notReady, .notUnderstood, .notEncodable, .closed:
                false
            }
        case .refused(let refusal, _): refusal.code == .draining || refusal.code == .busy
        case .usage, .system, .full, .silent: false
        }
    }
}
