import CXXHash
import StoryCore
import StoryReactor

/// The idle subscriptions to one stream or category: each has everything, and waits for an event of its stream.
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

    private var followers: [UInt64: [Follower]] = [:]
    /// The number of entries, ended subscriptions included.
    private(set) var count = 0
    private var sweptAt = IdleSubscriptions.minSwept

    /// Adds a subscription until an event of its stream or category comes.
    ///
    /// - Parameter isResting: returns whether an entry is still idle, for the sweep.
    func add(_ follower: Follower, of source: EventSelection.Source, isResting: (Follower) -> Bool) {
        if count >= sweptAt { sweep(isResting) }
        guard let hash = IdleSubscriptions.hash(of: source) else { return }
        followers[hash, default: []].append(follower)
        count += 1
    }

    /// Removes the subscriptions that the given events concern, and wakes them; wakes all where the log cannot be read.
    func take(_ log: any EventLogReading, from first: Position, through last: Position, _ wake: (Follower) -> Void) {
        guard count > 0 else { return }
        do throws(StorageError) {
            try log.scan(from: first, through: last, order: .ascending) { record in
                let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
                let category = name.prefix { $0 != 0x2D }.count
                take(IdleSubscriptions.hash(of: name.slice(0, count: category), isCategory: true), wake)
                take(IdleSubscriptions.hash(of: name, isCategory: false), wake)
                return count > 0
            }
        } catch {
            // Each subscription then reads the log itself, and meets the same failure.
            for hash in Array(followers.keys) { take(hash, wake) }
        }
    }

    private func take(_ hash: UInt64, _ wake: (Follower) -> Void) {
        guard let found = followers.removeValue(forKey: hash) else { return }
        count -= found.count
        found.forEach(wake)
    }

    /// Removes the entries of ended subscriptions; runs each time the number of entries has doubled.
    private func sweep(_ isResting: (Follower) -> Bool) {
        followers = followers.compactMapValues { kept in
            let there = kept.filter(isResting)
            return there.isEmpty ? nil : there
        }
        count = followers.values.reduce(0) { $0 + $1.count }
        sweptAt = max(IdleSubscriptions.minSwept, count * 2)
    }

    private static func hash(of source: EventSelection.Source) -> UInt64? {
        switch source {
        case .all: nil
        case .stream(let name): name.spelling.withUnsafeBytes { hash(of: $0, isCategory: false) }
        case .category(let name): name.spelling.withUnsafeBytes { hash(of: $0, isCategory: true) }
        }
    }

    /// Returns the hash of a name; its seed keeps streams and categories from being confused.
    private static func hash(of name: UnsafeRawBufferPointer, isCategory: Bool) -> UInt64 {
        xxhi_64(name.baseAddress, name.count, isCategory ? 1 : 0)
    }
}
