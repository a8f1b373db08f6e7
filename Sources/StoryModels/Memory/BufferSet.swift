import StoryCore
import StoryStorage

/// One write buffer a table, for what was folded since a checkpoint.
final class BufferSet {
    /// By the table's number; a table that was never written has none.
    private var buffers: [WriteBuffer?] = Array(repeating: nil, count: BufferSet.size)

    /// One more than the greatest number of a table.
    private static let size = 1 + Int(Table.allCases.map(\.rawValue).max() ?? 0)

    /// The buffer of a table, for reading; nil when there is nothing in it.
    @inline(__always)
    func filled(_ table: Table) -> WriteBuffer? {
        guard let buffer = buffers[Int(table.rawValue)], buffer.count > 0 else { return nil }
        return buffer
    }

    /// The buffer of a table, for writing.
    @inline(__always)
    func buffer(_ table: Table) -> WriteBuffer {
        if let buffer = buffers[Int(table.rawValue)] { return buffer }
        let buffer = WriteBuffer()
        buffers[Int(table.rawValue)] = buffer
        return buffer
    }

    func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        let buffer = buffer(table)
        key.withBytes { key in value.withBytes { value in buffer.put(value, at: key) } }
    }

    func remove(in table: Table, at key: [UInt8]) {
        let buffer = buffer(table)
        key.withBytes { key in buffer.remove(key) }
    }

    /// Changes a count where it lies; false when it is not here, or none would be left.
    func add(_ change: Int64, in table: Table, at key: [UInt8]) -> Bool {
        guard let buffer = filled(table) else { return false }
        return key.withBytes { buffer.add(change, at: $0) }
    }

    /// Makes a value longer; false when it is not here.
    func append(_ bytes: [UInt8], in table: Table, at key: [UInt8]) -> Bool {
        guard let buffer = filled(table) else { return false }
        return key.withBytes { key in bytes.withBytes { bytes in buffer.append(bytes, at: key) } }
    }

    /// The digest of what a table has.
    func digest(of table: Table) -> ModelDigest {
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
        for table in Table.allCases {
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
