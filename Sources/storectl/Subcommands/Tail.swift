import StoryClient

extension Subcommand {
    static let tail = Subcommand(
        name: "tail", summary: "prints events, or rows as they change, until it is stopped",
        operand: .optional("events[/STREAM|/CATEGORY-*]|KIND[/ID]"),
        options: [
            Option("from", "P|TIME", "begins with this position or time; with the next event unless told"),
            Option("types", "A,B", "only events of these types"),
            Option("log", "ID", "the history that --from is of: another one is refused"),
            Option("limit", "N", "ends after so many events or rows"),
        ] + Queries.filters,
        details: [
            "Of a row or a list, what is there comes first, then each change, as JSON lines.",
            "When it ends, standard error has the position to go on from. It exits with 3 when the daemon stops,",
            "with 5 when an event is damaged.",
        ],
        examples: [
            "storectl tail --types StoryPosted", "storectl --json tail 'events/story-*' --from 1",
            "storectl tail messages --recipient 008 --unseen true",
        ],
        run: { invocation throws(CommandError) in
            var tail = try Tail(invocation)
            return try tail.run()
        })
}

/// A subscription that prints.
struct Tail {
    private let invocation: Invocation
    private let answers: Answers
    private let request: String
    private var left: Int?
    /// True for rows: another run begins with what is there, wherever this one ended.
    private let isOfRows: Bool
    /// Where another run would go on without a gap; nil until the store said where this one begins.
    private var resume: UInt64?

    init(_ invocation: Invocation) throws(CommandError) {
        let target = Queries.events(invocation.arguments)
        isOfRows = target.prefix { $0 != "/" } != "events"
        var request = try RequestLine("SUBSCRIBE", target)
        for filter in Queries.filters { request.add(filter.name, from: invocation.arguments) }
        request.add("from", from: invocation.arguments)
        request.add("types", from: invocation.arguments)
        request.add("log", from: invocation.arguments)
        if let limit = invocation.arguments.value("limit") {
            guard let number = Int(limit), number > 0 else {
                throw .usage("--limit is a number above 0, not \"\(limit)\"")
            }
            left = number
        }
        self.invocation = invocation
        answers = invocation.answers
        self.request = request.text
    }

    mutating func run() throws(CommandError) -> ExitCode {
        let connection = try invocation.connect()
        let result: Result<ExitCode, CommandError>
        do throws(CommandError) {
            try subscribe(connection)
            result = .success(try follow(connection))
        } catch {
            result = .failure(error)
        }
        try invocation.output.flush()
        if let resume, !isOfRows { Output.complain(raw: "resume with --from \(resume)\(Tail.log(connection))") }
        if case .failure(.store(.interrupted)) = result { return .interrupted }
        return try result.get()
    }

    private mutating func subscribe(_ connection: StoreConnection) throws(CommandError) {
        let reply: StoreReply
        do throws(StoreError) {
            reply = try connection.ask(request)
        } catch {
            throw .store(error)
        }
        if let refusal = reply.refusal { throw .refused(refusal, json: reply.final.json) }
        if let from = invocation.arguments.value("from") {
            // Where a time is, only the first push tells.
            resume = UInt64(from)
        } else {
            resume = PushMark(reply.final.json).position.map { $0 + 1 }
        }
    }

    /// The option that names the store's history; empty for a store that does not tell.
    private static func log(_ connection: StoreConnection) -> String {
        JSONText(connection.greeting)?.members["log"].map { " --log \($0.shown)" } ?? ""
    }

    private mutating func follow(_ connection: StoreConnection) throws(CommandError) -> ExitCode {
        while let push = try next(connection) {
            let mark = PushMark(push.json)
            resume = mark.resume ?? mark.following ?? resume
            if let end = mark.end {
                Output.complain("the store ended the subscription: \(end)")
                return mark.isDamage ? .corrupt : end == "draining" ? .denied : .no
            }
            guard mark.position != nil else { continue }
            try answers.event(push)
            if let left {
                self.left = left - 1
                if left == 1 { return .done }
            }
        }
        throw .store(connection.ending)
    }

    /// The next push; what was printed is handed over before it is waited for.
    private func next(_ connection: StoreConnection) throws(CommandError) -> ReplyLine? {
        do throws(StoreError) {
            if let push = try connection.arrivedPush() { return push }
        } catch {
            throw .store(error)
        }
        try invocation.output.flush()
        do throws(StoreError) {
            return try connection.push(within: nil)
        } catch {
            throw .store(error)
        }
    }
}
