import StoryCore
import StoryFold

/// The requests that make, change, reset and drop cursors.
struct ChangeCursors {
    let world: World
    let cursors: HeldCursors
    let identity: LogIdentity
    private var shares: Shares { cursors.shares }
    /// The failure of each write at a replica; nil where this store takes writes.
    let notLeader: Failure?
    /// The reason why writes are refused now; nil while they are accepted.
    let refusal: Failure?

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
            if cursor?.isDropped == true {
                let message = "the cursor \(request.name) was dropped, and its name is not used again"
                throw Failure(.exists, message, .field("name"))
            }
            if let cursor {
                let old = try Failure.reading(try cursor.definition(world.json))
                if let field = old.fixedDifference(from: request.definition) {
                    let message = "there is a cursor \(request.name) whose \(field) is another; it cannot be changed"
                    throw Failure(.exists, message, .field(field))
                }
                try expect(request.version, of: stream, head)
                at = cursor.nearest
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
            for holding in shares.holdings(of: request.name) + shares.waiting(for: request.name) {
                holding.redefined(request.definition)
            }
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

    // MARK: Reset and drop

    /// `RESET`: all shares begin again behind a position.
    func reset(
        _ request: ResetRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        change(request.cursor, tag, from: &session, now, output) { () throws(Failure) in
            switch request.place {
            case .start: return .reset(.zero)
            case .end: return .reset(output.durable)
            case .position(let position):
                guard position <= world.head else {
                    throw Failure.invalid("to", .outOfRange, "the log ends at \(world.head.value)")
                }
                return .reset(position)
            }
        }
    }

    /// `DROP`: the cursor is gone, and its name is not used again.
    func drop(
        _ name: Identifier, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        if change(name, tag, from: &session, now, output, to: { () throws(Failure) in .dropped }) {
            shares.dropped(name)
        }
    }

    /// Appends an event that changes all shares of a cursor, none of which may be held.
    ///
    /// - Returns: false where it was refused.
    @discardableResult
    private func change(
        _ name: Identifier, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput,
        to event: () throws(Failure) -> CursorEvent
    ) -> Bool {
        var isChanged = false
        cursors.attempt(tag, to: output) { () throws(Failure) in
            if let notLeader { throw notLeader }
            let cursor = try cursors.known(name)
            if let holding = shares.holdings(of: name).first { throw cursors.held(holding, cursor.shares.count) }
            let event = try event()
            if let refusal { throw refusal }
            let stream = StreamName(cursor: name)
            let head = try Failure.reading(try world.headToExtend(stream))
            let new = NewEvents(
                id: name, stream: stream, head: head, events: [EventProposal(body: .cursor(event), meta: nil)],
                key: nil)
            let receipt = Appending(to: world, by: session.author, now, output).append(new)
            if world.head >= receipt.position {
                shares.reset(name, among: cursor.shares.count, by: receipt.position)
                isChanged = true
            }
            session.wrote(receipt.position)
            output.receipt(receipt, tag: tag)
        }
        return isChanged
    }
}
