package import StoryCore
import StoryFold

/// The requests of the workers of cursors.
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

    // MARK: Work

    /// `WORK`: holds a share of a cursor, and begins to deliver behind the events that are done; or waits for one.
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
                try identity.check(request.log, next: cursor.furthest.next)
            }
            let definition = try Failure.reading(try cursor.definition(world.json))
            if let share = request.share, share > definition.shareCount {
                let message = "\(name) has \(definition.shareCount) shares"
                throw Failure.invalid("share", .outOfRange, message)
            }
            let free = shares.free(name, request.share, among: definition.shareCount)
            if free == nil { try refuseHeld(request, definition) }
            guard session.subscriptionCount < limit else {
                let message = "a connection has at most \(limit) subscriptions; UNSUBSCRIBE one first"
                throw Failure(.tooLarge, message, .limit(limit))
            }
            if cursor.log != identity.id {
                if let refusal { throw refusal }
                let position = try cursors.append(
                    .confirmed(log: identity.id), to: name, by: session.author, now, output)
                shares.moved(CursorShare(name, free ?? 1), through: .zero, by: position)
                session.wrote(position)
            }
            let holding = Holding(name, definition, wanted: request.share, by: session.peer, since: now)
            if let free { take(CursorShare(name, free), of: cursor, for: holding, now) }
            let query = SubscribeQuery(definition.selection, subject: .work(holding))
            guard let id = session.subscribe(query, from: holding.at.next, limit: limit) else { return }
            var members = [Member("subscription", .count(id.value)), Member("cursor", .text("\(name)"))]
            if let free { members.append(Member("share", .count(UInt64(free)))) }
            members.append(Member("shares", .count(UInt64(definition.shareCount))))
            if free == nil {
                members.append(Member("waiting", .count(UInt64(shares.wait(holding)))))
            } else {
                members.append(Member("at", .count(holding.at.value)))
            }
            members.append(Member("position", .count(output.durable.value)))
            // An event of the share may have been parked just now.
            holding.restsOn = max(session.lastWritten, holding.share.map(shares.moved) ?? .zero)
            output.reply(.done(.members(members)), tag: tag, restsOn: holding.restsOn)
        }
    }

    /// Refuses a request for a share that another connection holds, unless it waits.
    private func refuseHeld(_ request: WorkRequest, _ definition: CursorDefinition) throws(Failure) {
        let name = request.cursor
        if request.waits {
            guard shares.waiting(for: name).count >= Shares.mostWaiting else { return }
            throw Failure(.held, "\(Shares.mostWaiting) connections wait for \(name) already")
        }
        guard let share = request.share ?? (definition.shareCount == 1 ? 1 : nil) else {
            throw Failure(.held, "all \(definition.shareCount) shares of \(name) are held by connections")
        }
        guard let holding = shares.holding(of: CursorShare(name, share)) else { return }
        throw cursors.held(holding, definition.shareCount)
    }

    /// Has a holding take a share that nobody holds.
    private func take(
        _ share: CursorShare, of cursor: StoredCursor, for holding: Holding, _ now: Instant, isUntold: Bool = false
    ) {
        let at = cursor.share(share.number)?.at ?? .zero
        let failed = shares.failed(of: share).flatMap { $0.event > at ? $0 : nil }
        let again = failed.map { Redelivery(event: $0.event, attempt: $0.attempts + 1) }
        holding.takes(share.number, at: at, since: now, again: again, isUntold: isUntold)
        shares.begin(holding)
    }

    private func diverged(_ name: Identifier, _ cursor: StoredCursor) -> Failure {
        let message =
            "\(name) was held in the history \(cursor.log) last, and this is \(identity.id): log=\(identity.id) confirms it"
        return Failure(.diverged, message, .place(CursorPlaceDetail(name, at: cursor.nearest, log: identity.id)))
    }

    /// `ACK`: every event through one is done.
    func acknowledge(
        _ mark: CursorMark, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            if let notLeader { throw notLeader }
            let held = try cursors.held(mark, by: session)
            if mark.event <= held.at, !cursors.isRetried(mark, in: held.holding) {
                let members = cursors.place(held.share, held.at) + [Member("changed", .flag(false))]
                return output.reply(.done(.members(members)), tag: tag, restsOn: world.head)
            }
            try cursors.delivered(mark, in: held.holding)
            if let refusal { throw refusal }
            let event = CursorEvent.moved(share: held.share.number, mark.event)
            let position = try cursors.append(event, to: mark.cursor, by: session.author, now, output)
            cursors.moved(mark, held.holding, by: position)
            session.wrote(position)
            let members = cursors.place(held.share, held.holding.at) + [Member("position", .count(position.value))]
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
            let held = try cursors.held(mark, by: session)
            let (cursor, holding, share) = (try cursors.known(mark.cursor), held.holding, held.share)
            guard holding.oldest == mark.event else {
                let first = holding.oldest.map { "the first event of \(mark.cursor) that is not done is \($0.value)" }
                let message = first ?? "no event of \(mark.cursor) is delivered and not done"
                throw Failure(.conflict, message, .place(CursorPlaceDetail(mark.cursor, at: held.at)))
            }
            let definition = try Failure.reading(try cursor.definition(world.json))
            let wasParked = holding.alone?.isParked == true
            let attempts = wasParked ? 1 : shares.attempts(at: mark.event, of: share) + 1
            let isLast = definition.attempts > 0 && attempts >= definition.attempts
            let parks = request.parks || wasParked || isLast
            // A request that is refused is no attempt.
            if parks, let failure = cannotPark(in: cursor, mark.cursor, isParked: wasParked) { throw failure }
            let failed =
                wasParked
                ? Shares.Failed(event: mark.event, attempts: 1, error: request.error)
                : shares.fail(mark.event, of: share, request.error)
            guard parks else {
                let delay = request.delay ?? FailRequest.delay(after: attempts)
                let again = Redelivery(event: mark.event, attempt: attempts + 1)
                holding.beginAgain(with: again, due: shares.tick + Holding.ticks(milliseconds: delay))
                let members =
                    cursors.place(share, mark.event, named: "event") + [
                        Member("attempt", .count(UInt64(attempts + 1))), Member("delay", .count(UInt64(delay))),
                    ]
                return output.reply(.done(.members(members)), tag: tag, restsOn: world.head)
            }
            let parked = try Failure.reading(try cursors.parked(failed, of: share))
            let position = try cursors.append(.parked(parked), to: mark.cursor, by: session.author, now, output)
            cursors.moved(mark, holding, by: position)
            holding.beginAgain(with: nil, due: 0)
            session.wrote(position)
            let members =
                cursors.place(share, mark.event, named: "event") + [
                    Member("parked", .flag(true)), Member("at", .count(holding.at.value)),
                    Member("position", .count(position.value)),
                ]
            output.reply(.done(.members(members)), tag: tag, restsOn: position)
        }
    }

    /// Returns the reason why a further event of a cursor cannot be parked now; nil where it can.
    private func cannotPark(in cursor: StoredCursor, _ name: Identifier, isParked: Bool) -> Failure? {
        guard cursor.parked >= ParkedEvent.most, !isParked else { return refusal }
        let most = ParkedEvent.most
        return Failure(.full, "\(name) has \(most) parked events: RETRY or DISCARD some", .limit(most))
    }

    /// Parks the events that failed too often while nobody said so: a worker ended, or its lease did. Then gives the shares
    /// that are free to those that wait.
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
        let isAppended = try park(by: uid, now, output)
        try grant(now, through: output.durable)
        return isAppended
    }

    private func park(by uid: UInt32, _ now: Instant, _ output: any TurnOutput) throws(StorageError) -> Bool {
        guard shares.isOverdue, refusal == nil else { return false }
        var isAppended = false
        for (share, failed) in shares.takeOverdue() {
            guard let cursor = try world.cursors.cursor(named: share.cursor), let place = cursor.share(share.number)
            else { continue }
            let isParked = try world.cursors.parked(failed.event, of: share.cursor) != nil
            guard cursor.parked < ParkedEvent.most || isParked else { continue }
            guard failed.event > place.at || isParked else { continue }
            let parked = try cursors.parked(failed, of: share)
            let position = try cursors.appended(.parked(parked), to: share.cursor, by: uid, now, output)
            shares.moved(share, through: failed.event, by: position)
            isAppended = true
        }
        return isAppended
    }

    /// Gives free shares to those that wait for them, first come, first served.
    ///
    /// - Parameter durable: the last event that is durable: nothing is delivered behind a move that may be undone.
    private func grant(_ now: Instant, through durable: Position) throws(StorageError) {
        for name in shares.awaited {
            guard let cursor = try world.cursors.cursor(named: name), !cursor.isDropped else { continue }
            for holding in shares.waiting(for: name) {
                let free = shares.free(name, holding.wanted, among: cursor.shares.count, through: durable)
                guard let free else { continue }
                take(CursorShare(name, free), of: cursor, for: holding, now, isUntold: true)
            }
        }
    }
}
