import StoryFold
import StoryCore
import StoryStorage

/// The memtables of all tables, for the writes since a checkpoint.
package final class MemtableSet {
    /// The retained memtables by table number; nil for a table that was never written. Unmanaged, to avoid a retain and
    /// release on each write and look-up.
    private let buffers: UnsafeMutablePointer<Unmanaged<Memtable>?>

    /// One more than the greatest table number that there may be.
    private static let size = 256
    /// One more than the greatest number of a table that was written.
    private var end = 0

    init() {
        buffers = .allocate(capacity: MemtableSet.size)
        buffers.initialize(repeating: nil, count: MemtableSet.size)
    }

    deinit {
        for table in 0..<MemtableSet.size { buffers[table]?.release() }
        buffers.deallocate()
    }

    /// Returns the memtable of a table, for reading; nil when it is empty.
    func filled(_ table: UInt8) -> Memtable? {
        guard let buffer = buffers[Int(table)]?.takeUnretainedValue(), buffer.count > 0 else { return nil }
        return buffer
    }

    /// Looks a key of a table up, as a memtable does.
    @inline(__always)
    func find(_ table: UInt8, _ key: UnsafeRawBufferPointer, hash: UInt32) -> UnsafeRawBufferPointer?? {
        guard let buffer = buffers[Int(table)] else { return nil }
        return buffer._withUnsafeGuaranteedRef { $0.find(key, hash: hash) }
    }

    /// Calls `body` to change the memtable of a table, which is created if it is missing.
    @inline(__always)
    func change<Result>(_ table: UInt8, _ body: (Memtable) -> Result) -> Result {
        (buffers[Int(table)] ?? made(table))._withUnsafeGuaranteedRef(body)
    }

    /// Prefetches the slots of a batch that will be written next, and stores the hashes of its keys.
    ///
    /// The slots are scattered in memory; fetched together, they are waited for once instead of one by one.
    func prefetch(_ batch: borrowing WriteBatch) {
        for index in 0..<batch.count {
            let entry = batch[index]
            let hash = Memtable.hash(batch.bytes(entry.key))
            batch.setHash(UInt64(hash), at: index)
            prefetch(entry.table, hash)
        }
    }

    /// Prefetches the slots of keys that will be looked up next, and stores their hashes.
    func prefetch(_ keys: borrowing KeyBatch) {
        for index in 0..<keys.count {
            let hash = Memtable.hash(keys.key(index))
            keys.setHash(hash, at: index)
            prefetch(keys.table(index), hash)
        }
    }

    /// Prefetches the slot of a key that will be looked up soon.
    @inline(__always)
    func prefetch(_ table: UInt8, _ hash: UInt32) {
        buffers[Int(table)]?._withUnsafeGuaranteedRef { $0.prefetch(hash) }
    }

    private func made(_ table: UInt8) -> Unmanaged<Memtable> {
        let buffer = Unmanaged.passRetained(Memtable())
        buffers[Int(table)] = buffer
        end = max(end, Int(table) + 1)
        return buffer
    }

    /// Returns the digest of a table.
    package func digest(of table: UInt8) -> ModelDigest {
        var digest = ModelDigest()
        guard let buffer = filled(table) else { return digest }
        for index in 0..<buffer.count {
            if let value = buffer.value(index) { digest.add(table, buffer.key(index), value) }
        }
        return digest
    }

    /// The memory of the entries, in bytes.
    var bytes: Int { sum { $0.bytes } }
    /// The number of entries, tombstones included.
    var count: Int { sum { $0.count } }

    /// Frees the memory of the memtables, which have no entries.
    func release() {
        for table in 0..<end {
            buffers[table]?.release()
            buffers[table] = nil
        }
        end = 0
    }

    func clear() {
        for table in 0..<end { buffers[table]?._withUnsafeGuaranteedRef { $0.clear() } }
    }

    /// Swaps the memtables of two sets.
    func exchange(with other: MemtableSet) {
        for table in 0..<max(end, other.end) { swap(&buffers[table], &other.buffers[table]) }
        swap(&end, &other.end)
    }

    /// Copies newer entries into this set.
    func absorb(_ newer: MemtableSet) {
        for number in 0..<newer.end {
            let table = UInt8(number)
            guard let source = newer.filled(table) else { continue }
            change(table) { target in
                for index in 0..<source.count {
                    if let value = source.value(index) {
                        target.put(value, at: source.key(index))
                    } else {
                        target.remove(source.key(index))
                    }
                }
            }
        }
    }

    /// Copies older entries into this set where it has none at their keys, some at a time.
    ///
    /// - Parameters:
    ///   - next: the table and the index of the next entry; it is moved on.
    ///   - count: the number of entries to look at.
    /// - Returns: true where no entry is left.
    func complete(from older: MemtableSet, at next: inout (table: Int, entry: Int), atMost count: Int) -> Bool {
        var left = count
        while next.table < older.end {
            let table = UInt8(next.table)
            guard let source = older.filled(table), next.entry < source.count else {
                next = (next.table + 1, 0)
                continue
            }
            guard left > 0 else { return false }
            let end = min(source.count, next.entry + left)
            left -= end - next.entry
            change(table) { target in
                for index in next.entry..<end {
                    let (key, value) = (source.key(index), source.value(index))
                    let hash = Memtable.hash(key)
                    guard target.find(key, hash: hash) == nil else { continue }
                    if let value { target.put(value, at: key, hash: hash) } else { target.remove(key, hash: hash) }
                }
            }
            next.entry = end
        }
        return true
    }

    /// Returns the sum of a number over all memtables; it is called in every turn.
    @inline(__always)
    private func sum(_ part: (Memtable) -> Int) -> Int {
        var sum = 0
        for table in 0..<end {
            if let buffer = buffers[table] { sum += buffer._withUnsafeGuaranteedRef(part) }
        }
        return sum
    }
}
