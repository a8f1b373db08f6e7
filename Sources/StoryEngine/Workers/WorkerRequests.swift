package import StoryCore
import StoryFold

/// The requests about cursors and their workers.
package struct WorkerRequests {
    let world: World
    let shares: Shares
    let identity: LogIdentity
    /// The maximum number of subscriptions of one connection.
    let limit: Int
    /// The failure of each write at a replica; nil where this store takes writes.
    let notLeader: Failure?
    /// The reason why writes are refused now; nil while they are accepted.
    let refusal: Failure?

    var cursors: HeldCursors { HeldCursors(world: world, shares: shares) }

    // MARK: Cursors

    /// `CURSOR`: makes a cursor, or changes its window, lease or attempts.
    func define(
        _ request: CursorRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            let stream = StreamName(cursor: request.name)
            if let receipt = try repeated(request, stream) {
                session.wrote(receipt.position)
                return output.reply(.done(.receipt(receipt)), tag: tag, restsOn: receipt.position)
            }
            if let notLeader { throw notLeader }
            let cursor = try Failure.reading(try world.cursors.cursor(named: request.name))
            let head = try Failure.reading(try world.headToExtend(stream))
            var at = Position.zero
            if let cursor {
                let old = try Failure.reading(try cursor.definition(world.json))
                if let field = old.fixedDifference(from: request.definition) {
                    let message = "there is a cursor \(request.name) whose \(field) is another; it cannot be changed"
                    throw Failure(.exists, message, .field(field))
                }
                try expect(request.version, of: stream, head)
                at = cursor.at
                if old == request.definition, let head {
                    let done = Done.unchanged(
                        id: request.name, stream: stream, version: head.version, position: head.position)
                    return output.reply(.done(done), tag: tag, restsOn: world.head)
                }
            } else {
                try expect(request.version, of: stream, head)
                let most = CursorDefinition.mostCursors
                guard try Failure.reading(try world.cursors.all().count) < most else {
                    throw Failure(.tooLarge, "there are \(most) cursors already", .limit(most))
                }
                switch request.definition.start {
                case .position(let first):
                    guard first <= world.head.next else {
                        let message = "the log ends at \(world.head.value): from is at most \(world.head.value + 1)"
                        throw Failure.invalid("from", .outOfRange, message)
                    }
                    at = first.previous
                case .end: at = output.durable
                }
            }
            if let refusal { throw refusal }
            let defined = CursorDefined(log: identity.id, definition: request.definition, at: at)
            let new = NewEvents(
                id: request.name, stream: stream, head: head,
                events: [EventProposal(body: .cursor(.defined(defined)), meta: nil)], key: request.key)
            let receipt = Appending(to: world, by: session.author, now, output).append(new)
            shares.holding(of: request.name)?.redefined(request.definition)
            session.wrote(receipt.position)
            output.receipt(receipt, tag: tag)
        }
    }

    private func expect(_ version: Version?, of stream: StreamName, _ head: StreamHead?) throws(Failure) {
        let actual = head?.version ?? .zero
        guard let version, version != actual else { return }
        throw Failure(stream, isAt: actual, not: version)
    }

    /// Returns the first receipt of a key that made the same definition; nil for a new key.
    ///
    /// - Throws: `keyReused` for the key of another request.
    private func repeated(_ request: CursorRequest, _ stream: StreamName) throws(Failure) -> Receipt? {
        guard let key = request.key, let entry = try Failure.reading(try world.keys.provenEntry(of: key)) else {
            return nil
        }
        var found: Receipt?
        var definition: CursorDefinition?
        try Failure.reading(
            try world.log.records(at: [entry.first]) { record in
                guard case .defined(let defined)? = CursorEvent(record, world.json) else { return false }
                definition = defined.definition
                found = Receipt(repeating: record, id: request.name)
                return false
            })
        guard let found, found.stream == stream, definition == request.definition else {
            throw Idempotency.reused(key, entry.last)
        }
        return found
    }

    // MARK: Work

    /// `WORK`: holds a cursor, and begins to deliver behind the events that are done.
    func work(
        _ request: WorkRequest, _ tag: Tag?, of session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            let name = request.cursor
            if let notLeader { throw notLeader }
            _ = try Failure.reading(try sweep(by: session.author, now, output))
            let cursor = try cursors.known(name)
            if cursor.log != identity.id {
                guard let log = request.log else { throw diverged(name, cursor) }
                try identity.check(log, next: Position.zero.next)
                guard log == identity.id else { throw diverged(name, cursor) }
            } else {
                try identity.check(request.log, next: cursor.at.next)
            }
            if let holding = shares.holding(of: name) {
                throw Failure(
                    .held, "\(name) is held by another connection", .holder(holding.holder, since: holding.since))
            }
            guard session.subscriptionCount < limit else {
                let message = "a connection has at most \(limit) subscriptions; UNSUBSCRIBE one first"
                throw Failure(.tooLarge, message, .limit(limit))
            }
            if cursor.log != identity.id {
                if let refusal { throw refusal }
                let position = try cursors.append(
                    .confirmed(log: identity.id), to: name, by: session.author, now, output)
                shares.moved(name, through: cursor.at, by: position)
                session.wrote(position)
            }
            let definition = try Failure.reading(try cursor.definition(world.json))
            let failed = shares.failed(of: name).flatMap { $0.event > cursor.at ? $0 : nil }
            let again = failed.map { Redelivery(event: $0.event, attempt: $0.attempts + 1) }
            let holding = Holding(
                name, definition, at: cursor.at, by: session.peer, since: now, again: again)
            let query = SubscribeQuery(definition.selection, subject: .work(holding))
            guard let id = session.subscribe(query, from: cursor.at.next, limit: limit) else { return }
            shares.begin(holding)
            let members = [
                Member("subscription", .count(id.value)), Member("cursor", .text("\(name)")),
                Member("share", .count(1)), Member("shares", .count(1)), Member("at", .count(cursor.at.value)),
                Member("position", .count(output.durable.value)),
            ]
            output.reply(.done(.members(members)), tag: tag, restsOn: session.lastWritten)
        }
    }

    private func diverged(_ name: Identifier, _ cursor: StoredCursor) -> Failure {
        let message =
            "\(name) was held in the history \(cursor.log) last, and this is \(identity.id): log=\(identity.id) confirms it"
        return Failure(.diverged, message, .place(CursorPlaceDetail(name, at: cursor.at, log: identity.id)))
    }

    /// `ACK`: every event through one is done.
    func acknowledge(
        _ mark: CursorMark, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            if let notLeader { throw notLeader }
            let (cursor, holding) = try cursors.held(mark, by: session)
            if mark.event <= cursor.at, !cursors.isRetried(mark, in: holding) {
                let members = cursors.place(mark.cursor, cursor.at) + [Member("changed", .flag(false))]
                return output.reply(.done(.members(members)), tag: tag, restsOn: world.head)
            }
            try cursors.delivered(mark, in: holding)
            if let refusal { throw refusal }
            let position = try cursors.append(.moved(mark.event), to: mark.cursor, by: session.author, now, output)
            cursors.moved(mark, holding, by: position)
            session.wrote(position)
            let members = cursors.place(mark.cursor, holding.at) + [Member("position", .count(position.value))]
            output.reply(.done(.members(members)), tag: tag, restsOn: position)
        }
    }

    /// `FAIL`: the first event that is not done failed; it comes again, or is parked.
    func fail(
        _ request: FailRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        let mark = request.mark
        cursors.attempt(tag, to: output) { () throws(Failure) in
            if let notLeader { throw notLeader }
            let (cursor, holding) = try cursors.held(mark, by: session)
            guard holding.oldest == mark.event else {
                let first = holding.oldest.map { "the first event of \(mark.cursor) that is not done is \($0.value)" }
                let message = first ?? "no event of \(mark.cursor) is delivered and not done"
                throw Failure(.conflict, message, .place(CursorPlaceDetail(mark.cursor, at: cursor.at)))
            }
            let definition = try Failure.reading(try cursor.definition(world.json))
            let wasParked = holding.alone?.isParked == true
            let failed =
                wasParked
                ? Shares.Failed(event: mark.event, attempts: 1, error: request.error)
                : shares.fail(mark.event, of: mark.cursor, request.error)
            let attempts = failed.attempts
            let isLast = definition.attempts > 0 && attempts >= definition.attempts
            guard request.parks || wasParked || isLast else {
                let delay = request.delay ?? FailRequest.delay(after: attempts)
                let again = Redelivery(event: mark.event, attempt: attempts + 1)
                holding.beginAgain(with: again, due: shares.tick + Holding.ticks(milliseconds: delay))
                let members =
                    cursors.place(mark.cursor, mark.event, named: "event") + [
                        Member("attempt", .count(UInt64(attempts + 1))), Member("delay", .count(UInt64(delay))),
                    ]
                return output.reply(.done(.members(members)), tag: tag, restsOn: world.head)
            }
            if cursor.parked >= ParkedEvent.most, !wasParked {
                let most = ParkedEvent.most
                throw Failure(.full, "\(mark.cursor) has \(most) parked events: RETRY or DISCARD some", .limit(most))
            }
            if let refusal { throw refusal }
            let parked = try Failure.reading(try cursors.parked(failed, of: mark.cursor))
            let position = try cursors.append(.parked(parked), to: mark.cursor, by: session.author, now, output)
            cursors.moved(mark, holding, by: position)
            holding.beginAgain(with: nil, due: 0)
            session.wrote(position)
            let members =
                cursors.place(mark.cursor, mark.event, named: "event") + [
                    Member("parked", .flag(true)), Member("at", .count(holding.at.value)),
                    Member("position", .count(position.value)),
                ]
            output.reply(.done(.members(members)), tag: tag, restsOn: position)
        }
    }

    /// Parks the events that failed too often while nobody said so: a worker ended, or its lease did.
    ///
    /// - Returns: true where it appended an event.
    /// - Throws: the error of reading the models.
    @discardableResult
    package func sweep(
        by uid: UInt32, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) -> Bool {
        try shares.sweep { (name) throws(StorageError) in
            try world.cursors.cursor(named: name)?.definition(world.json).attempts ?? 0
        }
        guard shares.isOverdue, refusal == nil else { return false }
        var isAppended = false
        for (name, failed) in shares.takeOverdue() {
            guard let cursor = try world.cursors.cursor(named: name) else { continue }
            let isParked = try world.cursors.parked(failed.event, of: name) != nil
            guard cursor.parked < ParkedEvent.most || isParked else { continue }
            guard failed.event > cursor.at || isParked else { continue }
            let parked = try cursors.parked(failed, of: name)
            let position = try cursors.appended(.parked(parked), to: name, by: uid, now, output)
            shares.moved(name, through: failed.event, by: position)
            isAppended = true
        }
        return isAppended
    }
}
