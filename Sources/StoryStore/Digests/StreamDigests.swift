package import StoryCore
package import StoryFold

/// The sink of a `StreamFold` that keeps no entries, only a digest of each table.
///
/// A digest is a sum, so neither the order of streams nor the number of threads matters. Counts and the marks of unique
/// texts are kept until the end, the marks of set entries until their stream ends.
///
/// Unchecked: it belongs to one thread at a time.
package final class StreamDigests: TableWriting, @unchecked Sendable {
    /// The special treatment of a table.
    private enum Role: BitwiseCopyable {
        case none
        /// A set: its entries are put and removed while a stream is folded.
        case set
        /// Unique texts: no two streams may have the same key.
        case unique
    }

    private static let size = 256

    /// The roles and the digests, by table number.
    private let roles = UnsafeMutablePointer<Role>.allocate(capacity: size)
    private let digests = UnsafeMutablePointer<ModelDigest>.allocate(capacity: size)
    private let counts = CountTable()
    /// The marks of the current stream's set entries; an entry that is there already is not added again.
    private var members = MarkSet()
    /// The marks of all unique texts.
    private var uniqueMarks: [UInt64] = []

    /// Creates empty digests of a catalogue's tables.
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

    /// Removes an entry of a set; no other entry is ever removed.
    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        precondition(roles[Int(table)] == .set, "a removal from table \(table), which is no set")
        guard members.remove(ModelDigest.mark(table, key)) else { return }
        digests[Int(table)].subtract(table, key)
    }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        counts.add(change, table, key, mark: ModelDigest.mark(table, key))
    }

    /// Writes a batch; it prefetches the slots of all counts before it changes one, since they are scattered in memory.
    package func write(_ batch: borrowing WriteBatch) {
        for index in 0..<batch.count {
            let entry = batch[index]
            let key = batch.bytes(entry.key)
            switch entry.action {
            case .put(let value): put(value, in: entry.table, at: key)
            case .remove: remove(in: entry.table, at: key)
            case .add:
                let mark = ModelDigest.mark(entry.table, key)
                counts.prefetch(mark)
                batch.setHash(mark, at: index)
            }
        }
        for index in 0..<batch.count {
            let entry = batch[index]
            guard case .add(let change) = entry.action else { continue }
            counts.add(change, entry.table, batch.bytes(entry.key), mark: entry.hash)
        }
    }

    /// Ends the current stream; later entries are of another one.
    package func streamEnded() { members.clear() }

    /// Adds the digests, counts and unique texts of another sink.
    package func absorb(_ other: StreamDigests) {
        for index in 0..<StreamDigests.size { digests[index].add(other.digests[index]) }
        other.counts.visit { counts.add($0, $1, $2, mark: $3) }
        uniqueMarks += other.uniqueMarks
    }

    /// Adds the counts to the digests as entries; no write may follow.
    package func close() {
        counts.visit { count, table, key, _ in
            let value = (UInt64(bitPattern: count) << 16).bigEndian
            withUnsafeBytes(of: value) {
                digests[Int(table)].add(table, key, UnsafeRawBufferPointer(rebasing: $0[..<6]))
            }
        }
    }

    /// Adds the entries of some tables of a store.
    package func add(_ store: MemoryModelStore, _ tables: [ModelTable]) {
        for table in tables { digests[Int(table.number)].add(store.digest(of: table)) }
    }

    /// Returns the digest of a table.
    package func digest(of table: ModelTable) -> ModelDigest { digests[Int(table.number)] }

    /// True when no unique text was put twice.
    package var hasDistinctTexts: Bool { MarkSet.areDistinct(uniqueMarks) }
}

/// A set of marks of keys (`ModelDigest.mark`); the first 32 are in an array, where a linear search is fastest.
struct MarkSet {
    private static let few = 32

    private var first: [UInt64] = []
    private var many: Set<UInt64> = []

    /// Inserts a mark; returns false when it is there already.
    mutating func insert(_ mark: UInt64) -> Bool {
        guard !first.contains(mark), !many.contains(mark) else { return false }
        if first.count < MarkSet.few { first.append(mark) } else { many.insert(mark) }
        return true
    }

    /// Removes a mark; returns false when it is not there.
    mutating func remove(_ mark: UInt64) -> Bool {
        guard let index = first.firstIndex(of: mark) else { return many.remove(mark) != nil }
        first.swapAt(index, first.count - 1)
        first.removeLast()
        return true
    }

    mutating func clear() {
        if !first.isEmpty { first.removeAll(keepingCapacity: true) }
        if !many.isEmpty { many.removeAll() }
    }

    /// Returns whether all marks are different.
    static func areDistinct(_ marks: [UInt64]) -> Bool {
        var slots = [UInt64](repeating: 0, count: 16)
        while slots.count < marks.count * 2 { slots += slots }
        let mask = slots.count - 1
        for mark in marks {
            // Zero marks a free slot.
            let mark = max(mark, 1)
            var slot = Int(truncatingIfNeeded: mark) & mask
            while slots[slot] != 0 {
                if slots[slot] == mark { return false }
                slot = (slot + 1) & mask
            }
            slots[slot] = mark
        }
        return true
    }
}
