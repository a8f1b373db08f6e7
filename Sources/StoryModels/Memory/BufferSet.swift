import StoryCore
import StoryStorage

/// One write buffer a table, for what was folded since a checkpoint.
package final class BufferSet {
    /// By the table's number, each held; a table that was never written has none. Whoever writes or looks up does it for
    /// every event, so no references are counted there.
    private let buffers: UnsafeMutablePointer<Unmanaged<WriteBuffer>?>

    /// One more than the greatest number of a table.
    private static let size = 256

    init() {
        buffers = .allocate(capacity: BufferSet.size)
        buffers.initialize(repeating: nil, count: BufferSet.size)
    }

    deinit {
        for table in 0..<BufferSet.size { buffers[table]?.release() }
        buffers.deallocate()
    }

    /// The buffer of a table, for reading; nil when there is nothing in it.
    func filled(_ table: UInt8) -> WriteBuffer? {
        guard let buffer = buffers[Int(table)]?.takeUnretainedValue(), buffer.count > 0 else { return nil }
        return buffer
    }

    /// What is known of a key of a table; the bytes die with the next change.
    @inline(__always)
    func find(_ table: UInt8, _ key: UnsafeRawBufferPointer, hash: UInt32) -> Buffered {
        guard let buffer = buffers[Int(table)] else { return .absent }
        return buffer._withUnsafeGuaranteedRef { $0.find(key, hash: hash) }
    }

    /// Has the buffer of a table changed.
    @inline(__always)
    func change<Result>(_ table: UInt8, _ body: (WriteBuffer) -> Result) -> Result {
        (buffers[Int(table)] ?? made(table))._withUnsafeGuaranteedRef(body)
    }

    /// The entries of a batch come next. All their slots are asked for at once: each lies where nobody looked lately, and
    /// one after the other they would be waited for one by one.
    func expect(_ batch: borrowing EntryBatch) {
        for index in 0..<batch.count {
            let entry = batch[index]
            let hash = WriteBuffer.hash(batch.bytes(entry.key))
            batch.setHash(UInt64(hash), at: index)
            expect(entry.table, hash)
        }
    }

    /// The keys of a batch are looked up next: asks for their slots.
    func expect(_ keys: borrowing KeyBatch) {
        for index in 0..<keys.count {
            let hash = WriteBuffer.hash(keys.key(index))
            keys.setHash(hash, at: index)
            expect(keys.table(index), hash)
        }
    }

    /// A key of a table is looked up soon: asks for its slot.
    @inline(__always)
    func expect(_ table: UInt8, _ hash: UInt32) {
        buffers[Int(table)]?._withUnsafeGuaranteedRef { $0.expect(hash) }
    }

    private func made(_ table: UInt8) -> Unmanaged<WriteBuffer> {
        let buffer = Unmanaged.passRetained(WriteBuffer())
        buffers[Int(table)] = buffer
        return buffer
    }

    /// The digest of what a table has.
    package func digest(of table: UInt8) -> ModelDigest {
        var digest = ModelDigest()
        guard let buffer = filled(table) else { return digest }
        for index in 0..<buffer.count {
            if let value = buffer.value(index) { digest.add(table, buffer.key(index), value) }
        }
        return digest
    }

    /// The bytes of memory that the entries take.
    var bytes: Int { sum { $0.bytes } }
    /// How many entries there are, the removed ones among them.
    var count: Int { sum { $0.count } }

    func clear() {
        for table in 0..<BufferSet.size { buffers[table]?._withUnsafeGuaranteedRef { $0.clear() } }
    }

    /// Each of the two has what the other one had.
    func exchange(with other: BufferSet) {
        for table in 0..<BufferSet.size { swap(&buffers[table], &other.buffers[table]) }
    }

    /// Takes in newer entries.
    func absorb(_ newer: BufferSet) {
        for number in 0..<BufferSet.size {
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

    /// Asked for in every turn.
    @inline(__always)
    private func sum(_ part: (WriteBuffer) -> Int) -> Int {
        var sum = 0
        for table in 0..<BufferSet.size {
            if let buffer = buffers[table] { sum += buffer._withUnsafeGuaranteedRef(part) }
        }
        return sum
    }
}
