import Glibc
import StoryStorage

/// A hash table of counts by table and key, with open addressing; a slot has everything that a change of its count
/// needs.
///
/// Keys are compared by their 64-bit marks alone (`ModelDigest.mark`). The bytes of the keys are in an arena that only
/// `visit` reads.
final class CountTable {
    /// A count; a slot without a key is free.
    private struct Slot {
        static let free = Slot(mark: 0, count: 0, offset: 0, keyCount: 0, table: 0)

        let mark: UInt64
        var count: Int64
        let offset: Int
        let keyCount: UInt32
        let table: UInt8
    }

    private var slots: UnsafeMutablePointer<Slot>
    private var mask: Int
    private var count = 0
    private var arena: UnsafeMutableRawPointer
    private var arenaCapacity = 1 << 16
    private var arenaUsed = 0

    init() {
        mask = 1_023
        slots = .allocate(capacity: mask + 1)
        slots.initialize(repeating: .free, count: mask + 1)
        arena = Memory.make(arenaCapacity)
    }

    deinit {
        slots.deallocate()
        free(arena)
    }

    /// Prefetches the slot of a mark that will be changed soon.
    func prefetch(_ mark: UInt64) { UnsafeRawPointer(slots + slot(mark)).prefetch(1) }

    /// Adds to the count of a key.
    ///
    /// - Parameter mark: the mark of the key.
    func add(_ change: Int64, _ table: UInt8, _ key: UnsafeRawBufferPointer, mark: UInt64) {
        var slot = slot(mark)
        while slots[slot].keyCount > 0 {
            if slots[slot].mark == mark {
                slots[slot].count += change
                return
            }
            slot = (slot + 1) & mask
        }
        let offset = append(key)
        slots[slot] = Slot(mark: mark, count: change, offset: offset, keyCount: UInt32(key.count), table: table)
        count += 1
        if count * 2 > mask { grow() }
    }

    /// Visits every count that is not zero.
    func visit(_ body: (_ count: Int64, _ table: UInt8, _ key: UnsafeRawBufferPointer, _ mark: UInt64) -> Void) {
        for index in 0...mask where slots[index].count != 0 {
            let slot = slots[index]
            let key = UnsafeRawBufferPointer(start: arena + slot.offset, count: Int(slot.keyCount))
            body(slot.count, slot.table, key, slot.mark)
        }
    }

    @inline(__always)
    private func slot(_ mark: UInt64) -> Int { Int(truncatingIfNeeded: mark) & mask }

    /// Copies a key to the arena and returns its offset.
    private func append(_ key: UnsafeRawBufferPointer) -> Int {
        let needed = arenaUsed + key.count
        if needed > arenaCapacity {
            arenaCapacity = max(needed, arenaCapacity * 2)
            arena = Memory.grow(arena, arenaCapacity)
        }
        Memory.copy(key, to: arena + arenaUsed)
        defer { arenaUsed = needed }
        return arenaUsed
    }

    private func grow() {
        let old = UnsafeMutableBufferPointer(start: slots, count: mask + 1)
        mask = mask * 2 + 1
        slots = .allocate(capacity: mask + 1)
        slots.initialize(repeating: .free, count: mask + 1)
        for moved in old where moved.keyCount > 0 {
            var slot = slot(moved.mark)
            while slots[slot].keyCount > 0 { slot = (slot + 1) & mask }
            slots[slot] = moved
        }
        old.deallocate()
    }
}
