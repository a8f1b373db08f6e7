import CXXHash
import Glibc

/// Counts by table and key, in memory: open addressing, with the keys one after the other in an arena.
final class CountTable {
    private struct Entry {
        var hash: UInt64
        var count: Int64
        var offset: Int
        var keyCount: UInt32
        var table: UInt8
    }

    private var slots: UnsafeMutablePointer<UInt32>
    private var mask: Int
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity: Int
    private var count = 0
    private var arena: UnsafeMutableRawPointer
    private var arenaCapacity = 1 << 16
    private var arenaUsed = 0

    init() {
        mask = 1_023
        capacity = 512
        slots = .allocate(capacity: mask + 1)
        slots.initialize(repeating: 0, count: mask + 1)
        entries = .allocate(capacity: capacity)
        arena = Memory.make(arenaCapacity)
    }

    deinit {
        slots.deallocate()
        entries.deallocate()
        free(arena)
    }

    func add(_ change: Int64, _ table: UInt8, _ key: UnsafeRawBufferPointer) {
        let hash = CountTable.hash(table, key)
        var slot = Int(truncatingIfNeeded: hash) & mask
        // A slot holds the number of an entry and one more; 0 is a free one.
        while slots[slot] != 0 {
            let entry = entries + Int(slots[slot] - 1)
            if entry.pointee.hash == hash, isKey(entry, table, key) {
                entry.pointee.count += change
                return
            }
            slot = (slot + 1) & mask
        }
        append(Entry(hash: hash, count: change, offset: 0, keyCount: UInt32(key.count), table: table), key)
        slots[slot] = UInt32(count)
        if count == capacity { grow() }
    }

    /// Visits every count that is not zero.
    func visit(_ body: (_ count: Int64, _ table: UInt8, _ key: UnsafeRawBufferPointer) -> Void) {
        for index in 0..<count where entries[index].count != 0 {
            let entry = entries[index]
            body(
                entry.count, entry.table,
                UnsafeRawBufferPointer(start: arena + entry.offset, count: Int(entry.keyCount)))
        }
    }

    /// Most keys have one or two words: a multiplication for each is enough to tell slots apart.
    @inline(__always)
    private static func hash(_ table: UInt8, _ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(key.count) << 8 | UInt64(table)
        guard let start = key.baseAddress, key.count >= 4 else {
            for byte in key { hash = hash << 8 | UInt64(byte) }
            return mixed(hash, 0)
        }
        guard key.count >= 8 else {
            let first = start.loadUnaligned(as: UInt32.self)
            let last = start.loadUnaligned(fromByteOffset: key.count - 4, as: UInt32.self)
            return mixed(hash, UInt64(first) << 32 | UInt64(last))
        }
        var offset = 0
        while offset + 8 < key.count {
            hash = mixed(hash, start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        return mixed(hash, start.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self))
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    @inline(__always)
    private func isKey(_ entry: UnsafeMutablePointer<Entry>, _ table: UInt8, _ key: UnsafeRawBufferPointer) -> Bool {
        guard entry.pointee.table == table, Int(entry.pointee.keyCount) == key.count else { return false }
        return xxhi_equal(arena + entry.pointee.offset, key.baseAddress, key.count)
    }

    private func append(_ entry: Entry, _ key: UnsafeRawBufferPointer) {
        if arenaUsed + key.count > arenaCapacity {
            arenaCapacity = max(arenaUsed + key.count, arenaCapacity * 2)
            arena = Memory.grow(arena, arenaCapacity)
        }
        entries[count] = entry
        entries[count].offset = arenaUsed
        Memory.copy(key, to: arena + arenaUsed)
        arenaUsed += key.count
        count += 1
    }

    private func grow() {
        let grown = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        grown.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = grown
        capacity *= 2
        slots.deallocate()
        mask = capacity * 2 - 1
        slots = .allocate(capacity: mask + 1)
        slots.initialize(repeating: 0, count: mask + 1)
        for index in 0..<count {
            var slot = Int(truncatingIfNeeded: entries[index].hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(index + 1)
        }
    }
}
