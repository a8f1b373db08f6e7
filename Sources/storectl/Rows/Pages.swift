import StoryClient

/// The continuation after a page.
struct More {
    /// The cursor, for `after=` or `from=`.
    let cursor: String
    /// The ID of the store's history; nil when no daemon was asked.
    let log: String?
}

/// A query in as many pages as the store makes of it: a page may be short or even empty although there is a next one.
struct Pages {
    let verb: String
    /// The target; nil for the operand.
    var target: String?
    /// The option that continues after a page.
    let next: String
    /// The number of rows that are requested by default.
    let limit: Int
    /// The maximum number of rows that the store returns at once.
    let most: Int
    /// The options of the subcommand, which are sent to the store unless they are for the output.
    let options: [Option]
    /// Those of them that choose the request, and are not sent.
    var choices: Set<String> = []
    /// Returns true where a page that was refused so is to be asked for again.
    var isAgain: (Refusal) -> Bool = { _ in false }

    /// Passes the rows to `each`, page by page, until the requested number is reached or there are no more.
    ///
    /// - Returns: the continuation; nil at the end.
    func run(
        _ invocation: Invocation, _ each: ([ReplyLine]) throws(CommandError) -> Void
    ) throws(CommandError) -> More? {
        LostReader.endsProcess()
        let isAll = invocation.arguments.has("all")
        guard !isAll || !invocation.arguments.has("limit") else {
            throw .usage("--all and --limit cannot be combined")
        }
        let answerer = try invocation.answerer()
        // A limit that is not a number is left to the store to refuse.
        var left = isAll ? Int.max : invocation.arguments.value("limit").map { Int($0) ?? 0 } ?? limit
        var request = try request(invocation, isAll ? ["limit": String(most)] : [:])
        var last: String?
        while true {
            let reply = try page(request, answerer, invocation, each)
            left -= min(reply.rows.count, max(left, 0))
            let next = ShownJSON(reply.final.json)?.members["next"]?.shown
            guard let next, left > 0, next != last else { return next.map { More(cursor: $0, log: answerer.log) } }
            last = next
            request = try self.request(invocation, [self.next: next, "limit": String(min(left, most))])
        }
    }

    /// Requests one page; if it is refused, the earlier output is written first.
    private func page(
        _ request: String, _ answerer: Answerer, _ invocation: Invocation,
        _ each: ([ReplyLine]) throws(CommandError) -> Void
    ) throws(CommandError) -> StoreReply {
        while true {
            do throws(CommandError) {
                return try answerer.ask(request, each)
            } catch {
                if case .refused(let refusal, _) = error, isAgain(refusal) { continue }
                try invocation.output.flush()
                throw error
            }
        }
    }

    /// Returns the request with the given options, some of which `other` replaces.
    private func request(_ invocation: Invocation, _ other: [String: String]) throws(CommandError) -> String {
        var request = RequestLine(verb, target ?? invocation.arguments.operands.first)
        for option in options where !Pages.localOptions.contains(option.name) && !choices.contains(option.name) {
            if let value = other[option.name] ?? invocation.arguments.value(option.name) {
                request.add(option.name, value)
            }
        }
        for (name, value) in Kinds.modelFilters(invocation.arguments, besides: options) {
            request.add(name, value)
        }
        return request.text
    }

    /// The options that are not sent to the store.
    private static let localOptions = Set(RowLines.options.map(\.name) + ["all"])
}
