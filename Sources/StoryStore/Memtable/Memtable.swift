import StoryFold
import CXXHash
import Glibc
import StoryCore
import StoryStorage

/// A memtable: the writes of one table since the last checkpoint; a removal is a tombstone.
///
/// Keys and values are in one arena, found through a hash table with open addressing. Clearing keeps the memory, so
/// that filling it again allocates nothing.
final class Memtable {
    private static let leastSlots = 16
    /// The largest arena that clearing keeps, in bytes.
    private static let keptArena = 64 << 20
    /// The most slots, and entries, that clearing keeps: enough for as many events with a request key as a checkpoint
    /// has.
    private static let keptSlots = 1 << 18

    /// The number of keys, tombstones included.
    private(set) var count = 0
    private(set) var entries: UnsafeMutablePointer<KeyedValue>
    private(set) var arena: UnsafeMutableRawPointer
    private var entryCapacity: Int
    private var slots: UnsafeMutablePointer<Slot>
    private var slotCount: Int
    private var arenaUsed = 0
    private var arenaCapacity: Int
    /// The entries in key order, as far as a walk has needed it.
    let order = LazySortedKeys()

    init() {
        entryCapacity = 16
        slotCount = Memtable.leastSlots
        arenaCapacity = 1_024
        entries = .allocate(capacity: entryCapacity)
        slots = .allocate(capacity: slotCount)
        arena = Memory.make(arenaCapacity)
        slots.update(repeating: .empty, count: slotCount)
    }

    deinit {
        entries.deallocate()
        slots.deallocate()
        free(arena)
    }

    /// The memory of the entries in bytes, two slots for each included; memory kept for later entries is not counted.
    var bytes: Int {
        arenaUsed + count * (MemoryLayout<KeyedValue>.stride + 2 * MemoryLayout<Slot>.stride) + order.bytes
    }

    static func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: xxhi_64(key.baseAddress, key.count, 0))
    }

    // MARK: Changing

    func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) {
        put(value, at: key, hash: Memtable.hash(key))
    }

    func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer, hash: UInt32) {
        precondition(value.count < Int(KeyedValue.removed), "a value has \(value.count) bytes")
        store(value, count: UInt32(value.count), at: key, hash)
    }

    /// Writes a tombstone, since older tables may still have the key.
    func remove(_ key: UnsafeRawBufferPointer) { remove(key, hash: Memtable.hash(key)) }

    func remove(_ key: UnsafeRawBufferPointer, hash: UInt32) {
        store(UnsafeRawBufferPointer(start: nil, count: 0), count: KeyedValue.removed, at: key, hash)
    }

    /// Prefetches the slot of a hash that will be looked up soon.
    func prefetch(_ hash: UInt32) { UnsafeRawPointer(slots + Int(hash) & (slotCount - 1)).prefetch(1) }

    /// Returns the value of a key, to be changed in place and valid until the next change; nil when there is none.
    func mutable(_ key: UnsafeRawBufferPointer, hash: UInt32) -> UnsafeMutableRawBufferPointer? {
        guard count > 0 else { return nil }
        let slot = slots[slot(of: key, hash)]
        guard !slot.isEmpty else { return nil }
        let entry = entries[Int(slot.entry)]
        guard entry.valueCount != KeyedValue.removed else { return nil }
        return UnsafeMutableRawBufferPointer(
            start: arena + entry.offset + Int(entry.keyCount), count: Int(entry.valueCount))
    }

    /// Calls `body` with the value of a key, to be changed in place; returns false when there is none.
    func change(at key: UnsafeRawBufferPointer, _ body: ValueChange) -> Bool {
        mutable(key, hash: Memtable.hash(key)).map(body) != nil
    }

    /// Adds to a count of six bytes, the highest first, in place; returns false when there is none or none would be
    /// left.
    func add(_ change: Int64, at key: UnsafeRawBufferPointer, hash: UInt32) -> Bool {
        guard let bytes = mutable(key, hash: hash), bytes.count == 6 else { return false }
        var count = Int64(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) + change
        guard count > 0 else { return false }
        for index in (0..<6).reversed() {
            bytes[index] = UInt8(truncatingIfNeeded: count)
            count >>= 8
        }
        return true
    }

    /// Appends to a value, in place or after a move to twice the room, and returns its size in bytes; nil when there is
    /// no value.
    func append(_ bytes: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) -> Int? {
        guard count > 0 else { return nil }
        let slot = slots[slot(of: key, Memtable.hash(key))]
        guard !slot.isEmpty, let value = value(Int(slot.entry)) else { return nil }
        let entry = entries + Int(slot.entry)
        let grown = value.count + bytes.count
        if grown > Int(entry.pointee.capacity) {
            precondition(grown < Int(KeyedValue.removed) / 2, "a value grows to \(grown) bytes")
            entry.pointee.offset = move(Int(slot.entry), room: grown * 2)
            entry.pointee.capacity = UInt32(grown * 2)
        }
        Memory.copy(bytes, to: arena + entry.pointee.offset + key.count + value.count)
        entry.pointee.valueCount = UInt32(grown)
        return grown
    }

    /// Puts the sum of a count so far and a change; a sum that is not above zero becomes a tombstone.
    ///
    /// - Parameter old: the six bytes of the count so far; nil where there is none.
    func setCount(
        _ change: Int64, after old: UnsafeRawBufferPointer?, at key: UnsafeRawBufferPointer, _ scratch: inout KeyBuffer
    ) {
        var count = change
        if let old, old.count >= 6 { count += Int64(old.sixByteNumber(at: 0)) }
        guard count > 0 else { return remove(key) }
        scratch.set(UInt64(count))
        put(scratch.bytes, at: key)
    }

    func clear() {
        guard count > 0 else { return }
        if slotCount > Memtable.keptSlots || arenaCapacity > Memtable.keptArena { shrink() }
        slots.update(repeating: .empty, count: slotCount)
        count = 0
        arenaUsed = 0
        order.clear()
    }

    // MARK: Reading

    /// Looks a key up; its value is valid until the next change. Returns nil where the memtable does not have the key,
    /// so that older tables must be searched, `.some(nil)` for a tombstone.
    func find(_ key: UnsafeRawBufferPointer, hash: UInt32) -> UnsafeRawBufferPointer?? {
        guard count > 0 else { return nil }
        let slot = slots[slot(of: key, hash)]
        return slot.isEmpty ? nil : .some(value(Int(slot.entry)))
    }

    @inline(__always)
    func key(_ index: Int) -> UnsafeRawBufferPointer {
        let entry = entries + index
        return UnsafeRawBufferPointer(start: arena + entry.pointee.offset, count: Int(entry.pointee.keyCount))
    }

    /// Returns the value of an entry; nil for a tombstone.
    @inline(__always)
    func value(_ index: Int) -> UnsafeRawBufferPointer? {
        let entry = entries[index]
        guard entry.valueCount != KeyedValue.removed else { return nil }
        return UnsafeRawBufferPointer(
            start: arena + entry.offset + Int(entry.keyCount), count: Int(entry.valueCount))
    }

    // MARK: Inside

    private func store(
        _ value: UnsafeRawBufferPointer, count valueCount: UInt32, at key: UnsafeRawBufferPointer, _ hash: UInt32
    ) {
        precondition((1...511).contains(key.count), "a key has \(key.count) bytes")
        let slot = slot(of: key, hash)
        guard slots[slot].isEmpty else {
            return overwrite(entries + Int(slots[slot].entry), value, valueCount, key)
        }
        slots[slot] = Slot(hash: hash, entry: UInt32(count))
        add(KeyedValue(offset: 0, valueCount: valueCount, capacity: 0, keyCount: UInt16(key.count)), value, key)
    }

    private func add(_ entry: KeyedValue, _ value: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) {
        precondition(count < Int(UInt32.max) - 1, "a memtable has \(count) keys")
        if count == entryCapacity { growEntries() }
        var entry = entry
        entry.capacity = UInt32(value.count)
        entry.offset = store(key, value, room: value.count)
        entries[count] = entry
        count += 1
        // Up to a load of three quarters a search takes few steps.
        if count * 4 > slotCount * 3 { growSlots() }
    }

    private func overwrite(
        _ entry: UnsafeMutablePointer<KeyedValue>, _ value: UnsafeRawBufferPointer, _ valueCount: UInt32,
        _ key: UnsafeRawBufferPointer
    ) {
        if value.count <= Int(entry.pointee.capacity) {
            Memory.copy(value, to: arena + entry.pointee.offset + key.count)
        } else {
            // Over-allocates by 25 %, so that a growing value is rarely copied.
            let room = min(value.count + value.count / 4 + 8, Int(KeyedValue.removed) - 1)
            entry.pointee.offset = store(key, value, room: room)
            entry.pointee.capacity = UInt32(room)
        }
        entry.pointee.valueCount = valueCount
    }

    /// Copies a key and a value to the arena's end and returns their offset.
    private func store(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, room: Int) -> Int {
        let offset = reserve(key.count + room)
        Memory.copy(key, to: arena + offset)
        Memory.copy(value, to: arena + offset + key.count)
        return offset
    }

    /// Copies an entry's key and value to the arena's end and returns their offset.
    private func move(_ index: Int, room: Int) -> Int {
        let entry = entries[index]
        let (keyCount, valueCount) = (Int(entry.keyCount), Int(entry.valueCount))
        let offset = reserve(keyCount + room)
        // `reserve` may have moved the arena, so the old address is computed after it.
        let old = UnsafeRawBufferPointer(start: arena + entry.offset, count: keyCount + valueCount)
        Memory.copy(old, to: arena + offset)
        return offset
    }

    /// Reserves room at the arena's end, in multiples of eight bytes, and returns its offset.
    private func reserve(_ count: Int) -> Int {
        let needed = arenaUsed + (count + 7) & ~7
        if needed > arenaCapacity {
            arenaCapacity = max(needed, arenaCapacity * 2)
            arena = Memory.grow(arena, arenaCapacity)
        }
        defer { arenaUsed = needed }
        return arenaUsed
    }

    /// Returns the slot of a key, or the free slot that it would get.
    @inline(__always)
    private func slot(of key: UnsafeRawBufferPointer, _ hash: UInt32) -> Int {
        let mask = slotCount - 1
        var slot = Int(hash) & mask
        while true {
            let found = slots[slot]
            if found.isEmpty { return slot }
            if found.hash == hash, self.key(Int(found.entry)).equals(key) { return slot }
            slot = (slot + 1) & mask
        }
    }

    private func growEntries() {
        let grown = UnsafeMutablePointer<KeyedValue>.allocate(capacity: entryCapacity * 2)
        grown.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = grown
        entryCapacity *= 2
    }

    private func growSlots() {
        let old = UnsafeMutableBufferPointer(start: slots, count: slotCount)
        slotCount *= 2
        slots = .allocate(capacity: slotCount)
        slots.update(repeating: .empty, count: slotCount)
        let mask = slotCount - 1
        for moved in old where !moved.isEmpty {
            var slot = Int(moved.hash) & mask
            while !slots[slot].isEmpty { slot = (slot + 1) & mask }
            slots[slot] = moved
        }
        old.deallocate()
    }

    /// Shrinks the memory to the kept sizes; the entries are lost.
    private func shrink() {
        slots.deallocate()
        entries.deallocate()
        free(arena)
        slotCount = min(slotCount, Memtable.keptSlots)
        entryCapacity = min(entryCapacity, Memtable.keptSlots)
        arenaCapacity = min(arenaCapacity, Memtable.keptArena)
        slots = .allocate(capacity: slotCount)
        entries = .allocate(capacity: entryCapacity)
        arena = Memory.make(arenaCapacity)
    }
}
