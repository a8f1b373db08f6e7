import StoryCore
import StoryFold

/// The requests about events that were set aside.
struct ParkingRequests {
    let world: World
    let cursors: HeldCursors
    private var shares: Shares { cursors.shares }
    /// The failure of each write at a replica; nil where this store takes writes.
    let notLeader: Failure?
    /// The reason why writes are refused now; nil while they are accepted.
    let refusal: Failure?

    /// `PARKED`: a page of the parked events of a cursor.
    func parked(_ query: ParkedQuery, tag: Tag?, to output: any TurnOutput) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            _ = try cursors.known(query.cursor)
            output.answer(with: BrowseParked(query, in: world), tag: tag, restsOn: world.head)
        }
    }

    /// `RETRY`: has parked events delivered again.
    func retry(
        _ request: RetryRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            if let notLeader { throw notLeader }
            let cursor = try cursors.known(request.cursor)
            var count = cursor.parked
            if let event = request.event {
                try mustBeParked(event, of: request.cursor)
                count = 1
            }
            guard count > 0 else { throw Failure(.notFound, "\(request.cursor) has no parked event") }
            if let refusal { throw refusal }
            let position = try cursors.append(
                .retried(request.event), to: request.cursor, by: session.author, now, output)
            session.wrote(position)
            let members = [
                Member("retrying", .count(UInt64(count))), Member("position", .count(position.value)),
            ]
            output.reply(.done(.members(members)), tag: tag, restsOn: position)
        }
    }

    /// `DISCARD`: gives a parked event up.
    func discard(
        _ request: DiscardRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            if let notLeader { throw notLeader }
            let mark = request.mark
            _ = try cursors.known(mark.cursor)
            let share = CursorShare(mark.cursor, try mustBeParked(mark.event, of: mark.cursor).share)
            if let refusal { throw refusal }
            let event = CursorEvent.discarded(mark.event, reason: request.reason)
            let position = try cursors.append(event, to: mark.cursor, by: session.author, now, output)
            if let holding = shares.holding(of: share), holding.alone?.event == mark.event {
                holding.beginAgain(with: nil, due: 0)
            }
            session.wrote(position)
            let members =
                cursors.place(share, mark.event, named: "event") + [Member("position", .count(position.value))]
            output.reply(.done(.members(members)), tag: tag, restsOn: position)
        }
    }

    @discardableResult
    private func mustBeParked(_ event: Position, of name: Identifier) throws(Failure) -> StoredParked {
        guard let parked = try Failure.reading(try world.cursors.parked(event, of: name)) else {
            throw Failure(.notFound, "\(name) has no parked event \(event.value): PARKED \(name) lists them")
        }
        return parked
    }
}

/// `PARKED`: the parked events of a cursor in the order of the log.
private final class BrowseParked: AnswerCursor {
    private let query: ParkedQuery
    private let world: World
    private var after: Position
    private var count = 0

    init(_ query: ParkedQuery, in world: World) { (self.query, self.world, after) = (query, world, query.after) }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while true {
            guard lines.hasRoom, !lines.isSpent else { return .more }
            var found: StoredParked?
            try world.cursors.parked(of: query.cursor, after: after) {
                found = $0
                return false
            }
            lines.spend(.search)
            guard let parked = found else { return ended(isMore: false) }
            guard count < query.limit else { return ended(isMore: true) }
            lines.row(.line(try members(of: parked)))
            lines.spend(2 * .record)
            (after, count) = (parked.event, count + 1)
        }
    }

    private func members(of parked: StoredParked) throws(StorageError) -> [Member] {
        var members = [Member("event", .count(parked.event.value)), Member("share", .count(UInt64(parked.share)))]
        var since: Instant?
        try world.log.records(at: [parked.event, parked.since]) { record in
            if record.position == parked.event {
                members.append(Member("stream", .text("\(record.keptStream)")))
                let type = UnsafeRawBufferPointer(rebasing: record.json[record.type])
                members.append(Member("type", .text(String(decoding: type, as: UTF8.self))))
            }
            if record.position == parked.since { since = record.time }
            return true
        }
        members.append(Member("attempts", .count(UInt64(parked.attempts))))
        if !parked.error.isEmpty {
            members.append(Member("error", .text(String(decoding: parked.error, as: UTF8.self))))
        }
        if let since { members.append(Member("since", .text(since.text))) }
        return members + [Member("retrying", .flag(parked.isRetried))]
    }

    private func ended(isMore: Bool) -> CursorStep {
        var members = [Member("count", .count(UInt64(count)))]
        if isMore { members.append(Member("next", .count(after.value))) }
        members.append(Member("position", .count(world.head.value)))
        return .ended(.done(.members(members)), restsOn: world.head)
    }
}
