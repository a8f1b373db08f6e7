package import StoryCore
import StoryFold

/// The shares of cursors that are held, and the events that failed at: in memory alone.
package final class Shares {
    /// An event that failed, and is not done.
    struct Failed: Equatable {
        let event: Position
        /// The number of its deliveries.
        var attempts: Int
        /// The last error that a worker told; nil where it told none.
        var error: Text?
    }

    private struct Share {
        var holding: Holding?
        var failed: Failed?
        /// The last event that moved the cursor; it may not be durable.
        var moved = Position.zero
    }

    private var shares: [Identifier: Share] = [:]
    /// The events that failed too often, and are to be parked.
    private(set) var overdue: [(cursor: Identifier, failed: Failed)] = []
    /// The number of times that a share was lost while events were not done, by the lease.
    package private(set) var leasesLost: UInt64 = 0
    /// The number of writes that were refused since their connection does not hold the share.
    package var writesLost: UInt64 = 0
    /// The number of deliveries of events that had been delivered before.
    package var redeliveries: UInt64 = 0
    /// True at a store that takes no writes: workers hold their shares elsewhere.
    package var areElsewhere = false
    /// The present tick of 0.1 s.
    package var tick: UInt64 = 0

    /// Creates an empty list.
    package init() {}

    /// True where no cursor was held or moved since the start.
    package var isEmpty: Bool { shares.isEmpty }

    /// True while an event is to be parked.
    package var isOverdue: Bool { !overdue.isEmpty }

    /// Returns the holding of a cursor; nil where nobody holds it.
    func holding(of cursor: Identifier) -> Holding? {
        guard let holding = shares[cursor]?.holding, holding.isHeld else { return nil }
        return holding
    }

    /// Returns the event of a cursor that failed and is not done; nil where none has.
    func failed(of cursor: Identifier) -> Failed? { shares[cursor]?.failed }

    /// Returns the last event that moved a cursor, as far as it was moved here; it may not be durable.
    package func moved(of cursor: Identifier) -> Position { shares[cursor]?.moved ?? .zero }

    /// Returns the number of positions that a cursor has to look at: from those that are done, or were looked at while
    /// nothing is undone, to the end.
    package func lag(of cursor: Identifier, at position: Position, behind head: Position) -> UInt64 {
        var done = position
        if let holding = holding(of: cursor), holding.outstanding == 0 { done = max(done, holding.looked) }
        return head.value - min(done, head).value
    }

    /// Notes that a cursor is held.
    func begin(_ holding: Holding) { shares[holding.cursor, default: Share()].holding = holding }

    /// Notes that an event moved a cursor through an event that is done or parked.
    func moved(_ cursor: Identifier, through event: Position, by position: Position) {
        shares[cursor, default: Share()].moved = position
        if let failed = shares[cursor]?.failed, failed.event <= event { shares[cursor]?.failed = nil }
        overdue.removeAll { $0.cursor == cursor && $0.failed.event <= event }
    }

    /// Notes that an event failed a further time; returns its deliveries.
    func fail(_ event: Position, of cursor: Identifier, _ error: Text?) -> Failed {
        var failed = shares[cursor]?.failed ?? Failed(event: event, attempts: 0, error: nil)
        if failed.event != event { failed = Failed(event: event, attempts: 0, error: nil) }
        failed.attempts += 1
        failed.error = error ?? failed.error
        shares[cursor, default: Share()].failed = failed
        return failed
    }

    /// Takes the lease of a share away.
    package func expire(_ holding: Holding) {
        leasesLost += 1
        holding.ended(.taken(.lease))
    }

    /// Takes note of the shares that have ended: the oldest event that was not done counts as failed where its worker did.
    ///
    /// - Parameter attempts: returns the number of deliveries before an event of a cursor is parked; 0 means never.
    func sweep(_ attempts: (Identifier) throws(StorageError) -> Int) throws(StorageError) {
        for (cursor, share) in shares {
            guard let holding = share.holding, let end = holding.end else { continue }
            shares[cursor]?.holding = nil
            let isBlamed =
                switch end {
                case .released(let isBlamed): isBlamed
                case .taken(let reason): reason == .lease
                }
            guard isBlamed, let oldest = holding.oldest else { continue }
            if holding.alone?.isParked == true {
                overdue.append((cursor, Failed(event: oldest, attempts: 1, error: nil)))
                continue
            }
            let most = try attempts(cursor)
            let failed = fail(oldest, of: cursor, nil)
            if most > 0, failed.attempts >= most { overdue.append((cursor, failed)) }
        }
    }

    /// Takes the events that are to be parked.
    func takeOverdue() -> [(cursor: Identifier, failed: Failed)] {
        defer { overdue = [] }
        return overdue
    }

    /// Ends the shares whose cursor was moved by an event after this position, which was undone.
    func rolledBack(to position: Position) {
        for (cursor, share) in shares where share.moved > position {
            shares[cursor]?.moved = .zero
            share.holding?.ended(.taken(.undone))
        }
    }

    /// Ends all shares, since another node leads.
    package func leadLost() {
        for share in shares.values { share.holding?.ended(.taken(.lead)) }
        for cursor in shares.keys { shares[cursor]?.failed = nil }
        overdue = []
    }
}
