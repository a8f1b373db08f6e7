package import StoryCore

/// The sink of a `StreamFold`: of every entry there is only a digest, one for each table.
///
/// A digest is a sum, so it does not matter in which order streams are folded, nor by how many threads. What is
/// counted is kept until the end, and so is what the stream under way has in sets.
///
/// Unchecked: it belongs to one thread at a time.
package final class StreamDigests: EntryWriting, @unchecked Sendable {
    private static let size = 256

    /// The tables whose entries come and go while a stream is folded.
    private let sets: [UInt8]
    /// The tables that no two streams may have one key in.
    private let unique: [UInt8]

    private let digests = UnsafeMutablePointer<ModelDigest>.allocate(capacity: size)
    private let counts = CountTable()
    /// The marks of this stream's entries in sets: one that is there already is not put again.
    @exclusivity(unchecked) private var members = MarkSet()
    /// The marks of every unique text.
    @exclusivity(unchecked) private var uniqueMarks: [UInt64] = []

    /// Takes in the entries of a catalogue's tables.
    package init(_ catalogue: Catalogue) {
        sets = Array(Set(catalogue.kinds.flatMap(\.events).compactMap { $0.membership?.table.number }))
        unique = catalogue.kinds.compactMap { $0.unique?.table.number }
        digests.initialize(repeating: ModelDigest(), count: StreamDigests.size)
    }

    deinit { digests.deallocate() }

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        if sets.contains(table), !members.insert(ModelDigest.mark(table, key)) { return }
        if unique.contains(table) { uniqueMarks.append(ModelDigest.mark(table, key)) }
        digests[Int(table)].add(table, key, value)
    }

    /// Only an entry of a set is ever removed.
    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        precondition(sets.contains(table), "A stream that is folded alone puts only what stays.")
        guard members.remove(ModelDigest.mark(table, key)) else { return }
        digests[Int(table)].subtract(table, key)
    }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        counts.add(change, table, key)
    }

    /// What comes next is of another stream.
    package func streamEnded() {
        if !members.isEmpty { members.clear() }
    }

    /// Takes in all that another one was told, and what a store holds.
    package func absorb(_ other: StreamDigests) {
        for index in 0..<StreamDigests.size { digests[index].add(other.digests[index]) }
        other.counts.visit { counts.add($0, $1, $2) }
        uniqueMarks += other.uniqueMarks
    }

    /// Makes entries of what was counted; nothing comes after that.
    package func close() {
        counts.visit { count, table, key in
            let value = (UInt64(bitPattern: count) << 16).bigEndian
            withUnsafeBytes(of: value) {
                digests[Int(table)].add(table, key, UnsafeRawBufferPointer(rebasing: $0[..<6]))
            }
        }
    }

    /// Adds the entries that a store has in some tables.
    package func add(_ store: MemoryModelStore, _ tables: [ModelTable]) {
        for table in tables { digests[Int(table.number)].add(store.digest(of: table)) }
    }

    package func digest(of table: ModelTable) -> ModelDigest { digests[Int(table.number)] }

    /// True when no unique text was put twice.
    package var hasDistinctTexts: Bool { MarkSet.areDistinct(uniqueMarks) }
}
