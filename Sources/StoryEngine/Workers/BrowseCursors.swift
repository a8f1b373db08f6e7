package import StoryCore
import StoryFold

extension WorkerRequests {
    /// `CURSORS`: a row for each cursor, or for one.
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
    /// Returns the events that the cursor has to do which is farthest behind, and the number of parked events of all.
    ///
    /// - Throws: the error of reading the models.
    package func sums() throws(StorageError) -> (lag: UInt64, parked: UInt64) {
        var (lag, parked) = (UInt64(0), UInt64(0))
        for (name, cursor) in try world.cursors.all() {
            lag = max(lag, shares.lag(of: name, at: cursor.at, behind: world.head))
            parked += UInt64(cursor.parked)
        }
        return (lag, parked)
    }
}

/// `CURSORS`: the cursors in the order of their names.
private final class BrowseCursors: AnswerCursor {
    private let cursors: [(name: Identifier, cursor: StoredCursor)]
    private let world: World
    private let shares: Shares
    private let identity: LogIdentity
    /// True at a store that takes no writes: the workers are elsewhere.
    private let isElsewhere: Bool
    private var next = 0

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
            lines.row(.line(try members(cursors[next].name, cursors[next].cursor)))
            lines.spend(2 * .record)
            next += 1
        }
        let members = [Member("count", .count(UInt64(cursors.count))), Member("position", .count(world.head.value))]
        return .ended(.done(.members(members)), restsOn: world.head)
    }

    private func members(_ name: Identifier, _ cursor: StoredCursor) throws(StorageError) -> [Member] {
        let definition = try cursor.definition(world.json)
        let holding = isElsewhere ? nil : shares.holding(of: name)
        let lag = shares.lag(of: name, at: cursor.at, behind: world.head)
        var members = [
            Member("cursor", .text("\(name)")), Member("share", .count(1)), Member("shares", .count(1)),
            Member("on", .text(definition.selection.source.target)), Member("at", .count(cursor.at.value)),
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
        return members + [
            Member("parked", .count(UInt64(cursor.parked))), Member("window", .count(UInt64(definition.window))),
            Member("lease", .count(UInt64(definition.lease))), Member("attempts", .count(UInt64(definition.attempts))),
        ]
    }

    private func state(of cursor: StoredCursor, _ holding: Holding?) -> String {
        if isElsewhere { return "elsewhere" }
        if cursor.log != identity.id { return "diverged" }
        guard let holding else { return cursor.parked >= ParkedEvent.most ? "parkedLimit" : "free" }
        if holding.again != nil, holding.due > shares.tick { return "backoff" }
        if holding.isFull { return "full" }
        return holding.outstanding > 0 ? "working" : "idle"
    }
}
