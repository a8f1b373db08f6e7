import StoryCore
import StoryLog
import StoryReactor

/// The subscriptions to one stream or category that have all of it: its next event wakes them, and nothing else does.
///
/// They are found by their name's hash; whoever is woken by chance finds nothing to send, and rests again.
final class RestingFollowers {
    /// One of them, and where it belongs.
    struct Follower {
        let connection: ConnectionID
        let subscription: SubscriptionID
    }

    /// So many are kept before those are looked for that have gone.
    private static let minSwept = 1_024

    private var followers: [UInt64: [Follower]] = [:]
    /// How many there are, those that have gone included.
    private(set) var count = 0
    private var sweptAt = RestingFollowers.minSwept

    /// Keeps a subscription until an event of its stream or category comes.
    ///
    /// - Parameter isResting: whether one that is kept has not gone since.
    func add(_ follower: Follower, of source: EventSelection.Source, isResting: (Follower) -> Bool) {
        if count >= sweptAt { sweep(isResting) }
        guard let hash = RestingFollowers.hash(of: source) else { return }
        followers[hash, default: []].append(follower)
        count += 1
    }

    /// Takes out those whose stream or category has events among these; where the log cannot be read, all.
    func take(_ log: any EventLog, from first: Position, through last: Position, _ wake: (Follower) -> Void) {
        guard count > 0 else { return }
        do throws(StorageError) {
            try log.scan(from: first, through: last, order: .ascending) { record in
                let name = UnsafeRawBufferPointer(rebasing: record.json[record.stream])
                let hashes = RestingFollowers.hashes(of: name)
                take(hashes.category, wake)
                take(hashes.stream, wake)
                return count > 0
            }
        } catch {
            // Everyone looks for himself then, and meets the same failure.
            for hash in Array(followers.keys) { take(hash, wake) }
        }
    }

    private func take(_ hash: UInt64, _ wake: (Follower) -> Void) {
        guard let found = followers.removeValue(forKey: hash) else { return }
        count -= found.count
        found.forEach(wake)
    }

    /// Forgets those that have gone; done each time that their number has doubled.
    private func sweep(_ isResting: (Follower) -> Bool) {
        followers = followers.compactMapValues { kept in
            let there = kept.filter(isResting)
            return there.isEmpty ? nil : there
        }
        count = followers.values.reduce(0) { $0 + $1.count }
        sweptAt = max(RestingFollowers.minSwept, count * 2)
    }

    private static func hash(of source: EventSelection.Source) -> UInt64? {
        switch source {
        case .all: nil
        case .stream(let name): name.spelling.withUnsafeBytes { hashes(of: $0).stream }
        case .category(let name): name.spelling.withUnsafeBytes { ended(hashes(of: $0).stream) }
        }
    }

    /// FNV-1a of a stream's name, and of its category with a mark, so that neither is taken for the other.
    private static func hashes(of name: UnsafeRawBufferPointer) -> (category: UInt64, stream: UInt64) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var category: UInt64?
        for byte in name {
            if byte == 0x2D, category == nil { category = ended(hash) }
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return (category ?? ended(hash), hash)
    }

    private static func ended(_ hash: UInt64) -> UInt64 { (hash ^ 0x100) &* 0x100_0000_01B3 }
}
