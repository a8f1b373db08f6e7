package import StoryCore

/// The sink of a `StreamFold`: of every entry there is only a digest, one for each table.
///
/// A digest is a sum, so it does not matter in which order streams are folded, nor by how many threads. What is
/// counted is kept until the end, and so is what the stream under way has in sets.
///
/// Unchecked: it belongs to one thread at a time.
package final class StreamDigests: EntryWriting, @unchecked Sendable {
    /// What is special about a table.
    private enum Role: BitwiseCopyable {
        case none
        /// Its entries come and go while a stream is folded.
        case set
        /// No two streams may have one key in it.
        case unique
    }

    private static let size = 256

    /// By the tables' numbers, as all that has one a table.
    private let roles = UnsafeMutablePointer<Role>.allocate(capacity: size)
    private let digests = UnsafeMutablePointer<ModelDigest>.allocate(capacity: size)
    private let counts = CountTable()
    /// The marks of this stream's entries in sets: one that is there already is not put again.
    @exclusivity(unchecked) private var members = MarkSet()
    /// The marks of every unique text.
    @exclusivity(unchecked) private var uniqueMarks: [UInt64] = []

    /// Takes in the entries of a catalogue's tables.
    package init(_ catalogue: Catalogue) {
        digests.initialize(repeating: ModelDigest(), count: StreamDigests.size)
        roles.initialize(repeating: .none, count: StreamDigests.size)
        for set in catalogue.kinds.flatMap(\.events).compactMap(\.membership) { roles[Int(set.table.number)] = .set }
        for unique in catalogue.kinds.compactMap(\.unique) { roles[Int(unique.table.number)] = .unique }
    }

    deinit {
        roles.deallocate()
        digests.deallocate()
    }

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        switch roles[Int(table)] {
        case .none: break
        case .set: guard members.insert(ModelDigest.mark(table, key)) else { return }
        case .unique: uniqueMarks.append(ModelDigest.mark(table, key))
        }
        digests[Int(table)].add(table, key, value)
    }

    /// Only an entry of a set is ever removed.
    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        precondition(roles[Int(table)] == .set, "A stream that is folded alone puts only what stays.")
        guard members.remove(ModelDigest.mark(table, key)) else { return }
        digests[Int(table)].subtract(table, key)
    }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        counts.add(change, table, key, mark: ModelDigest.mark(table, key))
    }

    /// The slots of all counts are asked for before one is changed, since they lie anywhere in memory.
    package func write(_ batch: borrowing EntryBatch) {
        for index in 0..<batch.count {
            let entry = batch[index]
            let key = batch.bytes(entry.key)
            switch entry.action {
            case .put(let value): put(value, in: entry.table, at: key)
            case .remove: remove(in: entry.table, at: key)
            case .add:
                let mark = ModelDigest.mark(entry.table, key)
                counts.expect(mark)
                batch.setHash(mark, at: index)
            }
        }
        for index in 0..<batch.count {
            let entry = batch[index]
            guard case .add(let change) = entry.action else { continue }
            counts.add(change, entry.table, batch.bytes(entry.key), mark: entry.hash)
        }
    }

    /// What comes next is of another stream.
    package func streamEnded() {
        if !members.isEmpty { members.clear() }
    }

    /// Takes in all that another one was told, and what a store holds.
    package func absorb(_ other: StreamDigests) {
        for index in 0..<StreamDigests.size { digests[index].add(other.digests[index]) }
        other.counts.visit { counts.add($0, $1, $2, mark: $3) }
        uniqueMarks += other.uniqueMarks
    }

    /// Makes entries of what was counted; nothing comes after that.
    package func close() {
        counts.visit { count, table, key, _ in
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
