import Glibc
package import StoryCore
package import StoryModels

/// The models' tables as dictionaries: slow and obvious, what a fast store is compared with.
package final class PlainStore: ModelStore {
    private var tables: [Table: [[UInt8]: [UInt8]]] = [:]
    /// The keys in order, kept until a key comes or goes: sorting for each scan would take most of a test's time.
    private var sortedKeys: [Table: [[UInt8]]] = [:]

    /// How many entries were looked at, by key or in a scan.
    package private(set) var lookCount = 0

    package init() {}

    package func value(in table: Table, at key: [UInt8]) -> [UInt8]? {
        lookCount += 1
        return tables[table]?[key]
    }

    package func put(_ value: [UInt8], in table: Table, at key: [UInt8]) {
        if tables[table, default: [:]].updateValue(value, forKey: key) == nil { sortedKeys[table] = nil }
    }

    package func remove(in table: Table, at key: [UInt8]) {
        if tables[table]?.removeValue(forKey: key) != nil { sortedKeys[table] = nil }
    }

    package func scan(
        _ table: Table, _ range: KeyRange, _ order: Order, _ visit: (_ key: [UInt8], _ value: [UInt8]) -> Bool
    ) {
        let keys = keys(of: table)
        let first = count(of: keys, before: range.lower)
        let end = range.upper.map { count(of: keys, before: $0) } ?? keys.count
        guard first < end else { return }
        let entries = tables[table] ?? [:]
        for offset in 0..<(end - first) {
            let key = keys[order == .ascending ? first + offset : end - 1 - offset]
            lookCount += 1
            guard let value = entries[key], visit(key, value) else { return }
        }
    }

    private func count(of keys: [[UInt8]], before key: [UInt8]) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if Bytes.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Every entry of a table.
    package func entries(of table: Table) -> [[UInt8]: [UInt8]] { tables[table] ?? [:] }

    /// The keys of a table in the order of their bytes.
    package func keys(of table: Table) -> [[UInt8]] {
        if let keys = sortedKeys[table] { return keys }
        let keys = entries(of: table).keys.sorted(by: Bytes.precedes)
        sortedKeys[table] = keys
        return keys
    }
}

/// Byte strings in the order that LMDB has.
package enum Bytes {
    package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let order = memcmp(left, right, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
    }
}
