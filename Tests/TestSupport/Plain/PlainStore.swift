import Glibc
package import StoryCore
package import StoryFold
import StoryStorage

/// The models' tables as dictionaries: slow and obvious, what a fast store is compared with.
package final class PlainStore: TableStore {
    private var tables: [UInt8: [[UInt8]: [UInt8]]] = [:]
    /// The keys in order, kept until a key comes or goes: sorting for each scan would take most of a test's time.
    private var sortedKeys: [UInt8: [[UInt8]]] = [:]
    /// What reading fails with, for as long as it is set.
    package var failure: StorageError?
    /// Up to where it is as if the tables had been read from a disk.
    package var checkpointed = Position.zero

    /// How many entries were looked at, by key or in a scan.
    package private(set) var lookCount = 0

    package init() {}

    package func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        put(Array(value), table, Array(key))
    }

    package func remove(in table: UInt8, at key: UnsafeRawBufferPointer) {
        if tables[table]?.removeValue(forKey: Array(key)) != nil { sortedKeys[table] = nil }
    }

    package func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        var count: Int64 = 0
        for byte in tables[table]?[Array(key)] ?? [] { count = count << 8 | Int64(byte) }
        count += change
        guard count > 0 else { return remove(in: table, at: key) }
        put(withUnsafeBytes(of: count.bigEndian) { [UInt8]($0.suffix(6)) }, table, Array(key))
    }

    package func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        let value = (tables[table]?[Array(key)] ?? []) + Array(bytes)
        put(value, table, Array(key))
        return value.count
    }

    package func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        if let failure { throw failure }
        lookCount += 1
        guard let value = tables[table]?[Array(key)] else { return false }
        value.withUnsafeBytes(body)
        return true
    }

    package func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        if let failure { throw failure }
        let keys = sorted(table)
        let first = count(of: keys, before: Array(range.lower))
        let end = range.upper.map { count(of: keys, before: Array($0)) } ?? keys.count
        guard first < end else { return }
        let entries = tables[table] ?? [:]
        for offset in 0..<(end - first) {
            let key = keys[order == .ascending ? first + offset : end - 1 - offset]
            lookCount += 1
            guard let value = entries[key], key.withUnsafeBytes({ key in value.withUnsafeBytes { visit(key, $0) } })
            else { return }
        }
    }

    /// Every entry of a table.
    package func entries(of table: ModelTable) -> [[UInt8]: [UInt8]] { tables[table.number] ?? [:] }

    /// The keys of a table in the order of their bytes.
    package func keys(of table: ModelTable) -> [[UInt8]] { sorted(table.number) }

    private func put(_ value: [UInt8], _ table: UInt8, _ key: [UInt8]) {
        if tables[table, default: [:]].updateValue(value, forKey: key) == nil { sortedKeys[table] = nil }
    }

    private func sorted(_ table: UInt8) -> [[UInt8]] {
        if let keys = sortedKeys[table] { return keys }
        let keys = (tables[table] ?? [:]).keys.sorted(by: Bytes.precedes)
        sortedKeys[table] = keys
        return keys
    }

    private func count(of keys: [[UInt8]], before key: [UInt8]) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if Bytes.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Byte strings in the order that LMDB has.
package enum Bytes {
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let order = memcmp(left, right, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
    }
}
