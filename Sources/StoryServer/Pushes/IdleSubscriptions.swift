import CXXHash
import StoryCore
import StoryFold
import StoryReactor

/// The idle subscriptions: each has everything, and waits for an event of its stream or category, or for a change of its
/// row or kind.
///
/// They are keyed by the hash of the name. A subscription that is woken by a collision finds nothing to send and
/// becomes idle again.
final class IdleSubscriptions {
    /// An idle subscription and its connection.
    struct Waiter {
        let connection: ConnectionID
        let subscription: SubscriptionID
    }

    /// The least number of entries at which ended subscriptions are swept out.
    private static let minSwept = 1_024

    /// Subscriptions by the hash of the name that they wait for.
    private struct Table {
        private var waiters: [UInt64: [Waiter]] = [:]
        private(set) var count = 0

        var isEmpty: Bool { count == 0 }
        var hashes: [UInt64] { Array(waiters.keys) }

        mutating func add(_ waiter: Waiter, _ hash: UInt64) {
            waiters[hash, default: []].append(waiter)
            count += 1
        }

        /// Removes those that wait for a name; returns none where there are none.
        mutating func take(_ hash: UInt64) -> [Waiter] {
            guard let found = waiters.removeValue(forKey: hash) else { return [] }
            count -= found.count
            return found
        }

        /// Removes those that fail a test.
        mutating func sweep(_ isKept: (Waiter) -> Bool) {
            waiters = waiters.compactMapValues { all in
                let kept = all.filter(isKept)
                return kept.isEmpty ? nil : kept
            }
            count = waiters.values.reduce(0) { $0 + $1.count }
        }
    }

    /// Those that wait for events of their stream or category.
    private var byEvent = Table()
    /// Those that wait for changes of their row or kind.
    private var byChange = Table()
    private var sweptAt = IdleSubscriptions.minSwept

    /// The number of entries, ended subscriptions included.
    var count: Int { byEvent.count + byChange.count }

    /// Adds a subscription until an event or a change concerns it.
    ///
    /// - Parameter isResting: returns whether an entry is still idle, for the sweep.
    func add(_ waiter: Waiter, of subscription: Subscription, isResting: (Waiter) -> Bool) {
        if count >= sweptAt { sweep(isResting) }
        switch subscription.subject {
        case .events, .records, .work:
            guard let hash = IdleSubscriptions.hash(of: subscription.selection.source) else { return }
            byEvent.add(waiter, hash)
        case .row(let kind, let id):
            let hash = id.spelling.withUnsafeBytes { IdleSubscriptions.hash(of: kind, $0) }
            byChange.add(waiter, hash)
        case .list(let kind, _): byChange.add(waiter, IdleSubscriptions.hash(of: kind))
        }
    }

    /// Removes the subscriptions that the given events and changes concern, and wakes them; wakes all where the log
    /// cannot be read.
    ///
    /// - Parameter number: the number of the first change.
    func take(
        _ log: any EventLogReading, from first: Position, through last: Position, _ changes: DurableChanges,
        from number: UInt64, _ wake: (Waiter) -> Void
    ) {
        if !byChange.isEmpty {
            let first = max(number, changes.first)
            for number in first..<max(first, changes.end) {
                let change = changes[number]
                byChange.take(IdleSubscriptions.hash(of: change.schema.kind)).forEach(wake)
                let hash = change.key.withUnsafeBytes { IdleSubscriptions.hash(of: change.schema.kind, $0) }
                byChange.take(hash).forEach(wake)
            }
        }
        guard !byEvent.isEmpty else { return }
        do throws(StorageError) {
            try log.scan(from: first, through: last, order: .ascending) { record in
                let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
                let category = name.prefix { $0 != 0x2D }.count
                byEvent.take(IdleSubscriptions.hash(of: name.slice(0, count: category), .category)).forEach(wake)
                byEvent.take(IdleSubscriptions.hash(of: name, .stream)).forEach(wake)
                return !byEvent.isEmpty
            }
        } catch {
            // Each subscription then reads the log itself, and meets the same failure.
            for hash in byEvent.hashes { byEvent.take(hash).forEach(wake) }
        }
    }

    /// Removes the subscriptions to rows and lists, and wakes them.
    func takeRows(_ wake: (Waiter) -> Void) { for hash in byChange.hashes { byChange.take(hash).forEach(wake) } }

    /// Removes the entries of ended subscriptions; runs each time the number of entries has doubled.
    private func sweep(_ isResting: (Waiter) -> Bool) {
        byEvent.sweep(isResting)
        byChange.sweep(isResting)
        sweptAt = max(IdleSubscriptions.minSwept, count * 2)
    }

    /// The seeds of the hashes, so that names of different things are not confused.
    private enum Seed: UInt64 {
        case stream, category, row, kind
    }

    private static func hash(of source: EventSelection.Source) -> UInt64? {
        switch source {
        case .all: nil
        case .stream(let name): name.spelling.withUnsafeBytes { hash(of: $0, .stream) }
        case .category(let name): name.spelling.withUnsafeBytes { hash(of: $0, .category) }
        }
    }

    /// Returns the hash of a row of a kind.
    private static func hash(of kind: Kind, _ id: UnsafeRawBufferPointer) -> UInt64 {
        xxhi_64(id.baseAddress, id.count, UInt64(kind.number) << 8 | Seed.row.rawValue)
    }

    /// Returns the hash of all rows of a kind.
    private static func hash(of kind: Kind) -> UInt64 { UInt64(kind.number) << 8 | Seed.kind.rawValue }

    private static func hash(of name: UnsafeRawBufferPointer, _ seed: Seed) -> UInt64 {
        xxhi_64(name.baseAddress, name.count, seed.rawValue)
    }
}
