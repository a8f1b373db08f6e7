package import StoryCore

/// The store of a `StreamProjector`: of every entry that is put there is only a digest, one for each table.
///
/// A digest is a sum, so it does not matter in which order streams are folded, nor by how many threads. What is
/// counted is kept until the end, and so is who likes the story that is being folded.
///
/// Unchecked: it belongs to one thread at a time.
package final class StreamDigests: ModelStore, @unchecked Sendable {
    private var digests = [ModelDigest](repeating: ModelDigest(), count: 256)
    private let counts = MemoryModelStore()
    /// The marks of this stream's likes: an entry that is there already is not put again.
    private var likes = MarkSet()
    /// The same of every address of a user.
    private var emails: [UInt64] = []

    package init() {}

    package func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        switch table {
        case .likes: putLike(key)
        case .userEmails:
            emails.append(ModelDigest.mark(table, key))
            digests[Int(table.rawValue)].add(table, key, value)
        default: digests[Int(table.rawValue)].add(table, key, value)
        }
    }

    /// Only a like is ever removed.
    package func remove(in table: Table, at key: [UInt8]) {
        precondition(table == .likes, "A stream that is folded alone puts only what stays.")
        guard likes.remove(ModelDigest.mark(table, key)) else { return }
        digests[Int(table.rawValue)].subtract(table, key, [])
    }

    package func add(_ change: Int64, in table: Table, at key: [UInt8]) { counts.add(change, in: table, at: key) }

    package func value(in table: Table, at key: [UInt8]) -> [UInt8]? {
        preconditionFailure("A stream that is folded alone reads nothing.")
    }

    package func scan(
        _ table: Table, _ range: KeyRange, _ order: Order, _ visit: (_ key: [UInt8], _ value: [UInt8]) -> Bool
    ) {
        preconditionFailure("A stream that is folded alone reads nothing.")
    }

    /// What comes next is of another stream.
    package func streamEnded() { likes.clear() }

    /// Takes in all that another one was told, and what a store holds.
    package func absorb(_ other: StreamDigests) {
        for index in digests.indices { digests[index].add(other.digests[index]) }
        for table in StreamDigests.counted {
            for entry in other.counts.entries(of: table) {
                counts.add(Int64(clamping: CountKey.count(entry.value)), in: table, at: entry.key)
            }
        }
        emails += other.emails
    }

    /// Adds the entries that a store has in some tables.
    package func add(_ store: MemoryModelStore, _ tables: [Table]) {
        for table in tables { digests[Int(table.rawValue)].add(store.digest(of: table)) }
    }

    package func digest(of table: Table) -> ModelDigest {
        StreamDigests.counted.contains(table) ? counts.digest(of: table) : digests[Int(table.rawValue)]
    }

    package func digest(of model: Model) -> ModelDigest {
        model.tables.reduce(into: ModelDigest()) { $0.add(digest(of: $1)) }
    }

    /// True when no address was put twice.
    package var hasDistinctEmails: Bool { MarkSet.areDistinct(emails) }

    private static let counted: [Table] = [.userCounts, .storyCounts, .messageCounts, .photoCounts]

    private func putLike(_ key: [UInt8]) {
        guard likes.insert(ModelDigest.mark(.likes, key)) else { return }
        digests[Int(Table.likes.rawValue)].add(.likes, key, [])
    }
}
