package import StoryCore
import StoryFold

/// The shares of cursors that are held, those that wait for one, and the events that failed: in memory alone.
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
        /// The last event that moved the share; it may not be durable.
        var moved = Position.zero
    }

    /// The most connections that wait for shares of one cursor.
    static let mostWaiting = 64

    /// The shares that were held or moved since the start, by the name of the cursor and the number of the share.
    private var shares: [Identifier: [UInt8: Share]] = [:]
    /// Those that wait, by the name of the cursor, the first one first.
    private var waiting: [Identifier: [Holding]] = [:]
    /// The events that failed too often, and are to be parked.
    private(set) var overdue: [(share: CursorShare, failed: Failed)] = []
    /// The number of times that a share was lost while events were not done, by the lease.
    package private(set) var leasesLost: UInt64 = 0
    /// The number of writes that were refused since their connection does not hold the share.
    package var writesLost: UInt64 = 0
    /// The number of deliveries of events that had been delivered before.
    package var redeliveries: UInt64 = 0
    /// True where connections have shares that they do not know of.
    private var areUntold = false
    /// True at a store that takes no writes: workers hold their shares elsewhere.
    package var areElsewhere = false
    /// The present tick of 0.1 s.
    package var tick: UInt64 = 0

    /// Creates an empty list.
    package init() {}

    /// True where no share was held or moved since the start, and nobody waits for one.
    package var isEmpty: Bool { shares.isEmpty && waiting.isEmpty }

    /// True while an event is to be parked.
    package var isOverdue: Bool { !overdue.isEmpty }

    /// Returns the holding of a share; nil where nobody holds it.
    func holding(of share: CursorShare) -> Holding? {
        guard let holding = shares[share.cursor]?[share.number]?.holding, holding.isHeld else { return nil }
        return holding
    }

    /// Returns the holdings of a cursor's shares.
    func holdings(of cursor: Identifier) -> [Holding] {
        (shares[cursor] ?? [:]).values.compactMap { $0.holding }.filter(\.isHeld)
    }

    /// Returns those that wait for a share of a cursor, the first one first.
    func waiting(for cursor: Identifier) -> [Holding] { (waiting[cursor] ?? []).filter(\.isWaiting) }

    /// Returns the event of a share that failed and is not done; nil where none has.
    func failed(of share: CursorShare) -> Failed? { shares[share.cursor]?[share.number]?.failed }

    /// Returns the number of deliveries of an event that failed; 0 where none has.
    func attempts(at event: Position, of share: CursorShare) -> Int {
        failed(of: share).map { $0.event == event ? $0.attempts : 0 } ?? 0
    }

    /// Returns the number of a share that nobody holds, the lowest one; nil where there is none.
    ///
    /// - Parameters:
    ///   - wanted: the share that it must be; nil: any.
    ///   - durable: the last event that is durable: the last move of the share is, too.
    func free(
        _ cursor: Identifier, _ wanted: UInt8?, among shareCount: Int, through durable: Position = .max
    ) -> UInt8? {
        let known = shares[cursor] ?? [:]
        let numbers = wanted.map { $0...$0 } ?? 1...UInt8(clamping: shareCount)
        return numbers.first { number in
            guard let share = known[number] else { return true }
            return share.holding?.isHeld != true && share.moved <= durable
        }
    }

    /// Returns the last event that moved a share, as far as it was moved here; it may not be durable.
    func moved(of share: CursorShare) -> Position { shares[share.cursor]?[share.number]?.moved ?? .zero }

    /// Returns true where a share that nobody holds, and that a request may get, was moved by an event which is not durable.
    package func awaitsMove(_ request: WorkRequest, through durable: Position) -> Bool {
        (shares[request.cursor] ?? [:]).contains { number, share in
            (request.share ?? number) == number && share.holding?.isHeld != true && share.moved > durable
        }
    }

    /// Returns the number of positions that a share has to look at: from those that are done, or were looked at while
    /// nothing is undone, to the end.
    package func lag(of share: CursorShare, at position: Position, behind head: Position) -> UInt64 {
        var done = position
        if let holding = holding(of: share), holding.outstanding == 0 { done = max(done, holding.looked) }
        return head.value - min(done, head).value
    }

    /// Notes that a share is held.
    func begin(_ holding: Holding) {
        guard let share = holding.share else { return }
        change(share) { $0.holding = holding }
        if holding.isUntold { areUntold = true }
    }

    /// Returns true where connections got shares since the last call that they waited for.
    package func takeUntold() -> Bool {
        defer { areUntold = false }
        return areUntold
    }

    /// Notes that a connection waits for a share; returns its number in the queue, from 1.
    func wait(_ holding: Holding) -> Int {
        waiting[holding.cursor, default: []].append(holding)
        return waiting(for: holding.cursor).count
    }

    /// Notes that an event moved a share through an event that is done or parked.
    func moved(_ share: CursorShare, through event: Position, by position: Position) {
        change(share) {
            $0.moved = position
            if let failed = $0.failed, failed.event <= event { $0.failed = nil }
        }
        overdue.removeAll { $0.share == share && $0.failed.event <= event }
    }

    /// Notes that all shares of a cursor, none of which is held, were moved by an event, or are gone: attempts begin at 1
    /// again, and nobody who held one just before counts as failed.
    func reset(_ cursor: Identifier, among shareCount: Int, by position: Position) {
        for number in 1...UInt8(clamping: shareCount) {
            change(CursorShare(cursor, number)) { $0 = Share(moved: position) }
        }
        overdue.removeAll { $0.share.cursor == cursor }
    }

    /// Ends the waiting for shares of a cursor that was dropped.
    func dropped(_ cursor: Identifier) {
        for holding in waiting(for: cursor) { holding.ended(.taken(.dropped)) }
    }

    /// Notes that an event failed a further time; returns its deliveries.
    func fail(_ event: Position, of share: CursorShare, _ error: Text?) -> Failed {
        var failed = failed(of: share) ?? Failed(event: event, attempts: 0, error: nil)
        if failed.event != event { failed = Failed(event: event, attempts: 0, error: nil) }
        failed.attempts += 1
        failed.error = error ?? failed.error
        change(share) { $0.failed = failed }
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
        for (cursor, known) in shares {
            for (number, share) in known {
                guard let holding = share.holding, let end = holding.end else { continue }
                shares[cursor]?[number]?.holding = nil
                try look(at: holding, CursorShare(cursor, number), ended: end, attempts)
            }
        }
        for (cursor, holdings) in waiting where holdings.contains(where: { !$0.isWaiting }) {
            let left = holdings.filter(\.isWaiting)
            waiting[cursor] = left.isEmpty ? nil : left
        }
    }

    private func look(
        at holding: Holding, _ share: CursorShare, ended end: Holding.End,
        _ attempts: (Identifier) throws(StorageError) -> Int
    ) throws(StorageError) {
        let isBlamed =
            switch end {
            case .released(let isBlamed): isBlamed
            case .taken(let reason): reason == .lease
            case .unsaid: false
            }
        guard isBlamed, let oldest = holding.oldest else { return }
        if holding.alone?.isParked == true {
            overdue.append((share, Failed(event: oldest, attempts: 1, error: nil)))
            return
        }
        let most = try attempts(share.cursor)
        let failed = fail(oldest, of: share, nil)
        if most > 0, failed.attempts >= most { overdue.append((share, failed)) }
    }

    /// The cursors that somebody waits for.
    var awaited: [Identifier] { Array(waiting.keys) }

    /// Takes the events that are to be parked.
    func takeOverdue() -> [(share: CursorShare, failed: Failed)] {
        defer { overdue = [] }
        return overdue
    }

    /// Ends the shares that were moved by an event after this position, which was undone, or held by a reply that is.
    func rolledBack(to position: Position) {
        for (cursor, known) in shares {
            for (number, share) in known {
                if let holding = share.holding, holding.restsOn > position { holding.ended(.unsaid) }
                guard share.moved > position else { continue }
                shares[cursor]?[number]?.moved = .zero
                share.holding?.ended(.taken(.undone))
            }
        }
        for holding in waiting.values.joined() where holding.restsOn > position { holding.ended(.unsaid) }
    }

    /// Ends all shares, and the waiting for them, since another node leads.
    package func leadLost() {
        for (cursor, known) in shares {
            for (number, share) in known {
                share.holding?.ended(.taken(.lead))
                shares[cursor]?[number]?.failed = nil
            }
        }
        for holding in waiting.values.joined() { holding.ended(.taken(.lead)) }
        overdue = []
    }

    private func change(_ share: CursorShare, _ change: (inout Share) -> Void) {
        change(&shares[share.cursor, default: [:]][share.number, default: Share()])
    }
}
