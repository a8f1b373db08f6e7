package import StoryCore
import StoryFold

extension WorkerRequests {
    /// `CURSORS`: a row for each share of each cursor, or of one.
    func list(_ name: Identifier?, tag: Tag?, to output: any TurnOutput) {
        cursors.attempt(tag, to: output) { () throws(Failure) in
            let listed =
                if let name { [(name, try cursors.known(name))] } else { try Failure.reading(try world.cursors.all()) }
            let answer = BrowseCursors(
                listed, in: world, shares: shares, of: identity, isElsewhere: notLeader != nil || shares.areElsewhere)
            output.answer(with: answer, tag: tag, restsOn: world.head)
        }
    }
}

extension WorkerRequests {
    /// Returns the events that the share has to do which is farthest behind, and the number of parked events of all.
    ///
    /// - Throws: the error of reading the models.
    package func sums() throws(StorageError) -> (lag: UInt64, parked: UInt64) {
        var (lag, parked) = (UInt64(0), UInt64(0))
        for (name, cursor) in try world.cursors.all() {
            for (number, share) in zip(UInt8(1)..., cursor.shares) {
                lag = max(lag, shares.lag(of: CursorShare(name, number), at: share.at, behind: world.head))
            }
            parked += UInt64(cursor.parked)
        }
        return (lag, parked)
    }
}

/// `CURSORS`: the shares of cursors in the order of the cursors' names.
private final class BrowseCursors: AnswerCursor {
    private let cursors: [(name: Identifier, cursor: StoredCursor)]
    private let world: World
    private let shares: Shares
    private let identity: LogIdentity
    /// True at a store that takes no writes: the workers are elsewhere.
    private let isElsewhere: Bool
    private var next = 0
    /// The number of the next share of that cursor.
    private var number: UInt8 = 1
    private var count: UInt64 = 0

    init(
        _ cursors: [(name: Identifier, cursor: StoredCursor)], in world: World, shares: Shares,
        of identity: LogIdentity, isElsewhere: Bool
    ) {
        (self.cursors, self.world, self.shares, self.identity) = (cursors, world, shares, identity)
        self.isElsewhere = isElsewhere
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while next < cursors.count {
            guard lines.hasRoom, !lines.isSpent else { return .more }
            let (name, cursor) = cursors[next]
            guard let place = cursor.share(number) else {
                (next, number) = (next + 1, 1)
                continue
            }
            lines.row(.line(try members(of: CursorShare(name, number), at: place, in: cursor)))
            lines.spend(2 * .record)
            (number, count) = (number + 1, count + 1)
        }
        let members = [Member("count", .count(count)), Member("position", .count(world.head.value))]
        return .ended(.done(.members(members)), restsOn: world.head)
    }

    private func members(
        of share: CursorShare, at place: StoredCursor.Share, in cursor: StoredCursor
    ) throws(StorageError) -> [Member] {
        let definition = try cursor.definition(world.json)
        let holding = isElsewhere ? nil : shares.holding(of: share)
        let lag = shares.lag(of: share, at: place.at, behind: world.head)
        var members = [
            Member("cursor", .text("\(share.cursor)")), Member("share", .count(UInt64(share.number))),
            Member("shares", .count(UInt64(definition.shareCount))),
            Member("on", .text(definition.selection.source.target)), Member("at", .count(place.at.value)),
            Member("lag", .count(lag)), Member("state", .text(state(of: cursor, holding))),
        ]
        if let holding {
            var holder = [Member("uid", .count(UInt64(holding.holder.uid)))]
            if let pid = holding.holder.pid { holder.append(Member("pid", .count(UInt64(pid)))) }
            holder.append(Member("since", .text(holding.since.text)))
            members.append(Member("holder", .object(holder)))
            members.append(Member("outstanding", .count(UInt64(holding.outstanding))))
            if let oldest = holding.oldest {
                let attempt = holding.alone?.attempt ?? 1
                let values = [Member("event", .count(oldest.value)), Member("attempt", .count(UInt64(attempt)))]
                members.append(Member("oldest", .object(values)))
            }
        }
        let all = isElsewhere ? [] : shares.waiting(for: share.cursor)
        let waiting = all.count { $0.wanted ?? share.number == share.number }
        if waiting > 0 { members.append(Member("waiting", .count(UInt64(waiting)))) }
        return members + [
            Member("parked", .count(UInt64(place.parked))), Member("window", .count(UInt64(definition.window))),
            Member("lease", .count(UInt64(definition.lease))), Member("attempts", .count(UInt64(definition.attempts))),
        ]
    }

    private func state(of cursor: StoredCursor, _ holding: Holding?) -> String {
        if isElsewhere { return "elsewhere" }
        if cursor.log != identity.id { return "diverged" }
        if cursor.parked >= ParkedEvent.most { return "parkedLimit" }
        guard let holding else { return "free" }
        if holding.again != nil, holding.due > shares.tick { return "backoff" }
        if holding.isFull { return "full" }
        return holding.outstanding > 0 ? "working" : "idle"
    }
}
