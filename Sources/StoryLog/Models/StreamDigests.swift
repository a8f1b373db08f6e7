package import StoryCore

/// The sink of a `StreamProjector`: of every entry there is only a digest, one for each table.
///
/// A digest is a sum, so it does not matter in which order streams are folded, nor by how many threads. What is
/// counted is kept until the end, and so is who likes the story that is being folded.
///
/// Unchecked: it belongs to one thread at a time.
package final class StreamDigests: EntrySink, @unchecked Sendable {
    private static let size = 256

    private let digests = UnsafeMutablePointer<ModelDigest>.allocate(capacity: size)
    private let counts = BufferSet()
    /// The marks of this stream's likes: an entry that is there already is not put again.
    private var likes = MarkSet()
    /// The marks of every address of a user.
    private var emails: [UInt64] = []

    package init() { digests.initialize(repeating: ModelDigest(), count: StreamDigests.size) }

    deinit { digests.deallocate() }

    package func put(_ value: UnsafeRawBufferPointer, in table: Table, at key: UnsafeRawBufferPointer) {
        let number = table.rawValue
        if table == .likes, !likes.insert(ModelDigest.mark(number, key)) { return }
        if table == .userEmails { emails.append(ModelDigest.mark(number, key)) }
        digests[Int(number)].add(number, key, value)
    }

    /// Only a like is ever removed.
    package func remove(in table: Table, at key: UnsafeRawBufferPointer) {
        precondition(table == .likes, "A stream that is folded alone puts only what stays.")
        let number = table.rawValue
        guard likes.remove(ModelDigest.mark(number, key)) else { return }
        digests[Int(number)].subtract(number, key)
    }

    package func add(_ change: Int64, in table: Table, at key: UnsafeRawBufferPointer) {
        let buffer = counts.buffer(table)
        guard !buffer.add(change, at: key) else { return }
        precondition(change > 0, "A stream that is folded alone only counts up.")
        var value = (UInt64(change) << 16).bigEndian
        withUnsafeBytes(of: &value) { buffer.put(UnsafeRawBufferPointer(rebasing: $0[..<KeyWriter.numberCount]), at: key) }
    }

    /// What comes next is of another stream.
    package func streamEnded() { likes.clear() }

    /// Takes in all that another one was told, and what a store holds.
    package func absorb(_ other: StreamDigests) {
        for index in 0..<StreamDigests.size { digests[index].add(other.digests[index]) }
        for table in StreamDigests.counted {
            guard let buffer = other.counts.filled(table) else { continue }
            for index in 0..<buffer.count {
                let count = CountKey.count(buffer.value(index).map { Array($0) })
                add(Int64(clamping: count), in: table, at: buffer.key(index))
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
}
