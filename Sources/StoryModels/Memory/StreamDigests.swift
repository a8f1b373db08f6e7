package import StoryCore

/// The sink of a `StreamProjector`: of every entry there is only a digest, one for each table.
///
/// A digest is a sum, so it does not matter in which order streams are folded, nor by how many threads. What is
/// counted is kept until the end, and so is who likes the story that is being folded.
///
/// Unchecked: it belongs to one thread at a time.
package final class StreamDigests: EntrySink, EntryWriting, @unchecked Sendable {
    private static let size = 256

    /// The tables whose entries come and go while a stream is folded.
    private let sets: [UInt8]
    /// The tables that no two streams may have one key in.
    private let unique: [UInt8]

    private let digests = UnsafeMutablePointer<ModelDigest>.allocate(capacity: size)
    private let counts = CountTable()
    /// The marks of this stream's likes: an entry that is there already is not put again.
    private var likes = MarkSet()
    /// The marks of every address of a user.
    private var emails: [UInt64] = []

    package convenience init() { self.init(sets: [Table.likes.rawValue], unique: [Table.userEmails.rawValue]) }

    /// Takes in the entries of a catalogue's tables.
    package convenience init(_ catalogue: Catalogue) {
        let sets = catalogue.kinds.flatMap(\.events).compactMap { $0.membership?.table.number }
        self.init(sets: Array(Set(sets)), unique: catalogue.kinds.compactMap { $0.unique?.table.number })
    }

    private init(sets: [UInt8], unique: [UInt8]) {
        self.sets = sets
        self.unique = unique
        digests.initialize(repeating: ModelDigest(), count: StreamDigests.size)
    }

    deinit { digests.deallocate() }

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        if sets.contains(table), !likes.insert(ModelDigest.mark(table, key)) { return }
        if unique.contains(table) { emails.append(ModelDigest.mark(table, key)) }
        digests[Int(table)].add(table, key, value)
    }

    /// Only a like is ever removed.
    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        precondition(sets.contains(table), "A stream that is folded alone puts only what stays.")
        guard likes.remove(ModelDigest.mark(table, key)) else { return }
        digests[Int(table)].subtract(table, key)
    }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        counts.add(change, table, key)
    }

    /// What comes next is of another stream.
    package func streamEnded() {
        if !likes.isEmpty { likes.clear() }
    }

    /// Takes in all that another one was told, and what a store holds.
    package func absorb(_ other: StreamDigests) {
        for index in 0..<StreamDigests.size { digests[index].add(other.digests[index]) }
        other.counts.visit { counts.add($0, $1, $2) }
        emails += other.emails
    }

    /// Makes entries of what was counted; nothing comes after that.
    package func close() {
        counts.visit { count, table, key in
            let value = (UInt64(bitPattern: count) << 16).bigEndian
            withUnsafeBytes(of: value) {
                digests[Int(table)].add(table, key, UnsafeRawBufferPointer(rebasing: $0[..<KeyWriter.numberCount]))
            }
        }
    }

    /// Adds the entries that a store has in some tables.
    package func add(_ store: MemoryModelStore, _ tables: [Table]) {
        for table in tables { digests[Int(table.rawValue)].add(store.digest(of: table)) }
    }

    package func digest(of table: Table) -> ModelDigest { digests[Int(table.rawValue)] }

    /// Adds the entries that a store has in some tables.
    package func add(_ store: MemoryModelStore, _ tables: [ModelTable]) {
        for table in tables { digests[Int(table.number)].add(store.digest(of: table)) }
    }

    package func digest(of table: ModelTable) -> ModelDigest { digests[Int(table.number)] }

    package func digest(of model: Model) -> ModelDigest {
        model.tables.reduce(into: ModelDigest()) { $0.add(digest(of: $1)) }
    }

    /// True when no address was put twice.
    package var hasDistinctEmails: Bool { MarkSet.areDistinct(emails) }
}
