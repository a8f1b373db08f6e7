import StoryCore
import StoryStorage

/// One write buffer a table, for what was folded since a checkpoint.
package final class BufferSet {
    /// By the table's number; a table that was never written has none.
    @exclusivity(unchecked) private var buffers: [WriteBuffer?] = Array(repeating: nil, count: BufferSet.size)

    /// One more than the greatest number of a table.
    private static let size = 256

    /// The buffer of a table, for reading; nil when there is nothing in it.
    @inline(__always)
    func filled(_ table: UInt8) -> WriteBuffer? {
        guard let buffer = buffers[Int(table)], buffer.count > 0 else { return nil }
        return buffer
    }

    /// The buffer of a table, for writing.
    @inline(__always)
    func buffer(_ table: UInt8) -> WriteBuffer {
        if let buffer = buffers[Int(table)] { return buffer }
        let buffer = WriteBuffer()
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
    var bytes: Int { buffers.reduce(0) { $0 + ($1?.bytes ?? 0) } }
    /// How many entries there are, the removed ones among them.
    var count: Int { buffers.reduce(0) { $0 + ($1?.count ?? 0) } }

    func clear() {
        for buffer in buffers { buffer?.clear() }
    }

    /// Takes in newer entries.
    func absorb(_ newer: BufferSet) {
        for number in 0..<BufferSet.size {
            let table = UInt8(number)
            guard let source = newer.filled(table) else { continue }
            let target = buffer(table)
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
