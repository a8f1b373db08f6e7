import StoryCore
import StoryFold

/// Requests that read rows and events in steps: each step reads the present models, durable or not.
///
/// The result rests on the head at the last step, so an answer that has not begun rests on nothing.
struct QueryRequests {
    let world: World
    let feed: ChangeFeed
    let limits: Limits
    let identity: LogIdentity

    func list(_ query: ListQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let page = try BrowseOrdered.page(query, of: world.schema(query.kind), in: world, limits)
            output.answer(with: page, tag: tag, restsOn: .zero)
        }
    }

    /// `COUNT`: from stored tallies if they have the number, otherwise in steps.
    func count(
        _ kind: Kind, _ conditions: [Condition], tag: Tag?, to output: any TurnOutput
    ) throws(StorageError) {
        let schema = world.schema(kind)
        let (rows, plan) = (world.rows(of: schema), QueryPlan(schema, conditions))
        var count = 0
        switch plan.count {
        case .tally(let key, let less):
            let all = try rows.tally(schema, at: key)
            let others = try less.map { (key) throws(StorageError) in try rows.tally(schema, at: key) } ?? 0
            count = Int(clamping: all - min(others, all))
        case .unique(let text, let rest):
            try rows.row(schema, folded: text) { row in if rest.match(row) { count = 1 } }
        case .walk:
            let cursor = RowCount(schema, try rows.narrowest(plan, schema), in: world, feed, atMost: limits.counts)
            return output.answer(with: cursor, tag: tag, restsOn: .zero)
        }
        output.reply(.done(.counted(count, position: world.head)), tag: tag, restsOn: world.head)
    }

    /// `COUNT events…`
    func countEvents(_ query: ReadQuery, tag: Tag?, to output: any TurnOutput) {
        let count = CountEvents(query, in: world, identity, durable: output.durable)
        output.answer(with: count, tag: tag, restsOn: .zero)
    }

    func read(_ query: ReadQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let plan = try ReadEvents.plan(query, in: world, endingAt: output.durable, identity)
            output.answer(with: ReadAnswer(plan, log: world.log, index: world.streams), tag: tag, restsOn: .zero)
        }
    }

    /// `FIND events…`: the search is work beside the engine.
    func find(_ query: FindQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let search = try FindEvents.search(query, in: world, endingAt: output.durable, identity)
            guard search.positions != nil else {
                return output.reply(
                    .done(.read(count: 0, next: nil, position: search.head)), tag: tag, restsOn: .zero)
            }
            output.start(.search(search), at: nil, tag: tag)
        }
    }

    /// `FIND kind…`: likewise.
    func find(_ query: RowFindQuery, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let search = try FindRows.search(query, in: world, endingAt: output.durable)
            output.start(.searchRows(search), at: nil, tag: tag)
        }
    }

    /// Starts work about the log up to a moment; nil: up to its end.
    func prove(_ work: OperateAction, _ moment: Moment?, tag: Tag?, to output: any TurnOutput) {
        begin(tag, output) { () throws(Failure) in
            let position = try moment.map { (moment) throws(Failure) in
                try world.position(of: moment, endingAt: output.durable)
            }
            output.start(work, at: position, tag: tag)
        }
    }

    /// Begins an answer in `body`, or replies with its failure.
    private func begin(_ tag: Tag?, _ output: any TurnOutput, _ body: () throws(Failure) -> Void) {
        do throws(Failure) { try body() } catch { output.reply(.failed(error), tag: tag, restsOn: .zero) }
    }
}

/// Requests that begin and end subscriptions.
struct SubscriptionRequests {
    let world: World
    let identity: LogIdentity
    /// The maximum number of subscriptions of one connection.
    let limit: Int

    func begin(_ query: SubscribeQuery, tag: Tag?, of session: inout Session, to output: any TurnOutput) {
        let head = output.durable
        let start: Position
        do throws(Failure) {
            start = try self.start(query, endingAt: head)
        } catch {
            return output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
        guard let id = session.subscribe(query, from: start, limit: limit) else {
            let message = "a connection has at most \(limit) subscriptions; UNSUBSCRIBE one first"
            let failure = Failure(.tooLarge, message, .limit(limit))
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        output.reply(.done(.subscribed(id, position: head)), tag: tag, restsOn: .zero)
    }

    /// Returns the position of the first event that may be pushed.
    ///
    /// - Throws: `diverged` for another history, `invalid` beyond the log's end, or the error of reading the log.
    private func start(_ query: SubscribeQuery, endingAt head: Position) throws(Failure) -> Position {
        let start =
            switch query.from {
            case nil: head.next
            case .position(let position): position
            // The log may have events before that time that are not durable, or are rolled back: clamped to the next
            // event.
            case .time(let time): min(try world.firstPosition(notBefore: time), head.next)
            }
        try identity.check(query.log, next: start)
        guard start <= head.next else {
            let message = "the log ends at \(head.value): from= is at most \(head.next.value)"
            throw Failure.invalid("from", .outOfRange, message)
        }
        return start
    }

    func end(_ id: SubscriptionID, tag: Tag?, of session: inout Session, to output: any TurnOutput) {
        guard let ended = session.unsubscribe(id, published: output.published) else {
            let failure = Failure.notFound("subscription \(id.value) of this connection")
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        let members = [Member("unsubscribed", .count(id.value)), Member("resume", .count(ended.resume.value))]
        output.reply(.done(.members(members)), tag: tag, restsOn: .zero)
    }
}
