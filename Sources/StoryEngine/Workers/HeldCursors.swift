import StoryCore
import StoryFold

/// The cursors and their holders, as requests and writes of events look at them and move them.
struct HeldCursors {
    let world: World
    let shares: Shares

    /// Notes that an event moved a cursor.
    func moved(_ mark: CursorMark, _ holding: Holding, by position: Position) {
        // It is not in the log where that refused it, or where the request is only rehearsed.
        guard world.head >= position, let share = holding.share else { return }
        holding.done(through: mark.event, at: shares.tick)
        shares.moved(share, through: mark.event, by: position)
    }

    /// Replies with the failure of a request.
    func attempt(_ tag: Tag?, to output: any TurnOutput, _ body: () throws(Failure) -> Void) {
        do throws(Failure) { try body() } catch {
            if error.code == .lost { shares.writesLost += 1 }
            output.reply(.failed(error), tag: tag, restsOn: world.head)
        }
    }

    /// Returns a cursor.
    ///
    /// - Throws: `notFound` where there is none, `gone` where it was dropped.
    func known(_ name: Identifier) throws(Failure) -> StoredCursor {
        guard let cursor = try Failure.reading(try world.cursors.cursor(named: name)) else {
            throw Failure(.notFound, "there is no cursor \(name): CURSOR \(name) makes one")
        }
        if cursor.isDropped { throw Failure(.gone, "the cursor \(name) was dropped") }
        return cursor
    }

    /// A share of a cursor that a connection holds.
    struct Held {
        let holding: Holding
        let share: CursorShare
        /// The position that every event of the share through it is done at.
        let at: Position
    }

    /// Returns the share of an event, which the connection holds.
    ///
    /// - Throws: `notFound`, `gone`, `invalid` for an event beyond the log's end, `lost`.
    func held(_ mark: CursorMark, by session: borrowing Session) throws(Failure) -> Held {
        // Each output of a worker comes by here.
        if let holding = session.holding(that: mark), let share = holding.share, shares.holding(of: share) === holding,
            let place = try Failure.reading(try world.cursors.share(share))
        {
            return Held(holding: holding, share: share, at: place.at)
        }
        let cursor = try known(mark.cursor)
        guard mark.event <= world.head, mark.event > .zero else {
            let message = "the log ends at \(world.head.value)"
            throw Failure.invalid("cursor", .outOfRange, "no event has the position \(mark.event.value): \(message)")
        }
        let share = try share(of: mark, among: cursor)
        let at = cursor.share(share.number)?.at ?? .zero
        guard let holding = session.holding(of: share), shares.holding(of: share) === holding else {
            let name = cursor.shares.count > 1 ? "the share \(share.number) of \(mark.cursor)" : "\(mark.cursor)"
            let message = "this connection does not hold \(name), so nothing was written"
            throw Failure(.lost, message, .place(CursorPlaceDetail(mark.cursor, at: at)))
        }
        return Held(holding: holding, share: share, at: at)
    }

    /// Returns the share that an event of the log is of.
    private func share(of mark: CursorMark, among cursor: StoredCursor) throws(Failure) -> CursorShare {
        var number: UInt8 = 1
        let shareCount = cursor.shares.count
        guard shareCount > 1 else { return CursorShare(mark.cursor, number) }
        try Failure.reading(
            try world.log.records(at: [mark.event]) { record in
                number = CursorShare.number(of: record.streamName, among: shareCount)
                return false
            })
        return CursorShare(mark.cursor, number)
    }

    /// Returns the refusal of a request for what a connection holds.
    func held(_ holding: Holding, _ shareCount: Int) -> Failure {
        let number = shareCount > 1 ? holding.number.map { "the share \($0) of " } ?? "" : ""
        let message = "\(number)\(holding.cursor) is held by another connection"
        return Failure(.held, message, .holder(holding.holder, since: holding.since))
    }

    /// Returns true for a parked event that was delivered again, and is not done.
    func isRetried(_ mark: CursorMark, in holding: Holding) -> Bool {
        holding.alone?.isParked == true && holding.alone?.event == mark.event
    }

    /// Refuses an event that was not delivered.
    func delivered(_ mark: CursorMark, in holding: Holding) throws(Failure) {
        guard !holding.hasDelivered(mark.event) else { return }
        let message = "the event \(mark.event.value) of \(mark.cursor) was not delivered to this connection"
        throw Failure(.conflict, message, .place(CursorPlaceDetail(mark.cursor, at: holding.at)))
    }

    /// Checks `cursor=` of a write.
    ///
    /// - Throws: the reason why the write is refused.
    private func check(_ mark: CursorMark, by session: borrowing Session) throws(Failure) {
        let held = try held(mark, by: session)
        if mark.event <= held.at, !isRetried(mark, in: held.holding) {
            let message =
                "the event \(mark.event.value) of \(mark.cursor) is done: \(mark.cursor) is at \(held.at.value)"
            throw Failure(.conflict, message, .place(CursorPlaceDetail(mark.cursor, at: held.at)))
        }
        try delivered(mark, in: held.holding)
    }

    /// Returns the reason why `cursor=` of a write is refused; nil where it holds.
    func failure(of mark: CursorMark, by session: borrowing Session) -> Failure? {
        do throws(Failure) {
            try check(mark, by: session)
            return nil
        } catch {
            return error
        }
    }

    /// Returns a failed event as it is parked; one that was parked before keeps its deliveries, and its error where there is
    /// no newer one.
    ///
    /// - Throws: the error of reading the models.
    func parked(_ failed: Shares.Failed, of share: CursorShare) throws(StorageError) -> ParkedEvent {
        let before = try world.cursors.parked(failed.event, of: share.cursor)
        let earlier = before.flatMap { $0.error.isEmpty ? nil : Text($0.error) }
        return ParkedEvent(
            share: share.number, event: failed.event, attempts: failed.attempts + Int(before?.attempts ?? 0),
            error: failed.error ?? earlier)
    }

    /// Returns the members of an answer about a share.
    func place(_ share: CursorShare, _ position: Position, named member: String = "at") -> [Member] {
        [
            Member("cursor", .text("\(share.cursor)")), Member("share", .count(UInt64(share.number))),
            Member(member, .count(position.value)),
        ]
    }

    /// Appends an event to the stream of a cursor, as `appended` does.
    func append(
        _ event: CursorEvent, to name: Identifier, by uid: UInt32, _ now: Instant, _ output: any TurnOutput
    ) throws(Failure) -> Position { try Failure.reading(try appended(event, to: name, by: uid, now, output)) }

    /// Appends an event to the stream of a cursor; returns its position.
    ///
    /// - Throws: the error of reading the models.
    func appended(
        _ event: CursorEvent, to name: Identifier, by uid: UInt32, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) -> Position {
        let stream = StreamName(cursor: name)
        let new = NewEvents(
            id: nil, stream: stream, head: try world.headToExtend(stream),
            events: [EventProposal(body: .cursor(event), meta: nil)], key: nil)
        return Appending(to: world, by: uid, now, output).append(new).position
    }
}
