import CXXHash
import StoryCore
import StoryModels
import StoryReactor

/// The idle subscriptions: each has everything, and waits for an event of its stream or category, or for a change of its
/// row or kind.
///
/// They are keyed by the hash of the name. A subscription that is woken by a collision finds nothing to send and
/// becomes idle again.
final class IdleSubscriptions {
    /// An idle subscription and its connection.
    struct Follower {
        let connection: ConnectionID
        let subscription: SubscriptionID
    }

    /// The least number of entries at which ended subscriptions are swept out.
    private static let minSwept = 1_024

    /// Those that wait for events, by the hash of their stream or category.
    private var byEvent: [UInt64: [Follower]] = [:]
    /// Those that wait for row changes, by the hash of their row or kind.
    private var byChange: [UInt64: [Follower]] = [:]
    /// The number of entries, ended subscriptions included.
    private(set) var count = 0
    private var sweptAt = IdleSubscriptions.minSwept

    /// Adds a subscription until an event or a change concerns it.
    ///
    /// - Parameter isResting: returns whether an entry is still idle, for the sweep.
    func add(_ follower: Follower, of subscription: Subscription, isResting: (Follower) -> Bool) {
        if count >= sweptAt { sweep(isResting) }
        switch subscription.subject {
        case .events:
            guard let hash = IdleSubscriptions.hash(of: subscription.selection.source) else { return }
            byEvent[hash, default: []].append(follower)
        case .row(let kind, let id):
            let hash = id.spelling.withUnsafeBytes { IdleSubscriptions.hash(of: kind, $0) }
            byChange[hash, default: []].append(follower)
        case .list(let kind, _): byChange[IdleSubscriptions.hash(of: kind), default: []].append(follower)
        }
        count += 1
    }

    /// Removes the subscriptions that the given events and changes concern, and wakes them; wakes all where the log
    /// cannot be read.
    ///
    /// - Parameter number: the number of the first change.
    func take(
        _ log: any EventLogReading, from first: Position, through last: Position, _ changes: DurableChanges,
        from number: UInt64, _ wake: (Follower) -> Void
    ) {
        if !byChange.isEmpty {
            for number in number..<max(number, changes.end) {
                let change = changes[number]
                take(IdleSubscriptions.hash(of: change.schema.kind), from: &byChange, wake)
                let hash = change.id.withUnsafeBytes { IdleSubscriptions.hash(of: change.schema.kind, $0) }
                take(hash, from: &byChange, wake)
            }
        }
        guard !byEvent.isEmpty else { return }
        do throws(StorageError) {
            try log.scan(from: first, through: last, order: .ascending) { record in
                let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
                let category = name.prefix { $0 != 0x2D }.count
                take(IdleSubscriptions.hash(of: name.slice(0, count: category), .category), from: &byEvent, wake)
                take(IdleSubscriptions.hash(of: name, .stream), from: &byEvent, wake)
                return !byEvent.isEmpty
            }
        } catch {
            // Each subscription then reads the log itself, and meets the same failure.
            for hash in Array(byEvent.keys) { take(hash, from: &byEvent, wake) }
        }
    }

    private func take(_ hash: UInt64, from followers: inout [UInt64: [Follower]], _ wake: (Follower) -> Void) {
        guard let found = followers.removeValue(forKey: hash) else { return }
        count -= found.count
        found.forEach(wake)
    }

    /// Removes the entries of ended subscriptions; runs each time the number of entries has doubled.
    private func sweep(_ isResting: (Follower) -> Bool) {
        for table in [\IdleSubscriptions.byEvent, \.byChange] {
            self[keyPath: table] = self[keyPath: table].compactMapValues { kept in
                let there = kept.filter(isResting)
                return there.isEmpty ? nil : there
            }
        }
        count = byEvent.values.reduce(0) { $0 + $1.count } + byChange.values.reduce(0) { $0 + $1.count }
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
