import Glibc
import StoryCore

/// Where the stored tables have the entries that were looked up last, so that the next look-up needs no search.
///
/// While a snapshot is held nothing in it moves or changes, so an entry that was found once is found again by
/// comparing its key. Memory is bounded: a key has two slots, which it shares with others.
final class FoundEntries {
    private struct Slot {
        /// Where the key lies; the value is behind it.
        var key: UnsafeRawPointer?
        var hash: UInt32
        var valueCount: UInt32
        /// Which snapshot it was found in.
        var snapshot: UInt32
        var keyCount: UInt16
        var table: UInt8
    }

    /// 1.5 MiB, of which only what is used becomes memory.
    private static let slotCount = 1 << 16

    private let slots: UnsafeMutablePointer<Slot>
    private var snapshot: UInt32 = 1

    init() {
        guard let memory = calloc(FoundEntries.slotCount, MemoryLayout<Slot>.stride) else {
            preconditionFailure("There is memory for \(FoundEntries.slotCount) entries.")
        }
        slots = memory.bindMemory(to: Slot.self, capacity: FoundEntries.slotCount)
    }

    deinit { free(slots) }

    /// There is another snapshot: what was found in the one before may be gone.
    func forget() {
        snapshot &+= 1
        // Once in 2^32 snapshots the numbers begin anew.
        guard snapshot == 0 else { return }
        memset(slots, 0, FoundEntries.slotCount * MemoryLayout<Slot>.stride)
        snapshot = 1
    }

    /// The value of a key, where that is known.
    @inline(__always)
    func value(_ table: Table, _ key: UnsafeRawBufferPointer, _ hash: UInt32) -> UnsafeRawBufferPointer? {
        let pair = pair(table, hash)
        return value(pair, table, key, hash) ?? value(pair + 1, table, key, hash)
    }

    /// Remembers the value of a key. LMDB has a value right behind its key, unless it is a large one.
    func note(_ value: UnsafeRawBufferPointer, _ table: Table, _ key: UnsafeRawBufferPointer, _ hash: UInt32) {
        guard let start = value.baseAddress, !key.isEmpty, value.count < Int(UInt32.max) else { return }
        let place = UnsafeRawBufferPointer(start: start - key.count, count: key.count)
        guard Memory.areEqual(place, key) else { return }
        let pair = pair(table, hash)
        pair[1] = pair[0]
        pair[0] = Slot(
            key: place.baseAddress, hash: hash, valueCount: UInt32(value.count), snapshot: snapshot,
            keyCount: UInt16(key.count), table: table.rawValue)
    }

    @inline(__always)
    private func value(
        _ place: UnsafeMutablePointer<Slot>, _ table: Table, _ key: UnsafeRawBufferPointer, _ hash: UInt32
    ) -> UnsafeRawBufferPointer? {
        let slot = place.pointee
        guard slot.hash == hash, slot.snapshot == snapshot, slot.table == table.rawValue,
            Int(slot.keyCount) == key.count, let found = slot.key,
            Memory.areEqual(UnsafeRawBufferPointer(start: found, count: key.count), key)
        else { return nil }
        return UnsafeRawBufferPointer(start: found + key.count, count: Int(slot.valueCount))
    }

    /// The same number is a key of many tables, so the table has a say.
    @inline(__always)
    private func pair(_ table: Table, _ hash: UInt32) -> UnsafeMutablePointer<Slot> {
        let mixed = hash ^ UInt32(table.rawValue) &* 0x9E37_79B1
        return slots + Int(mixed) & (FoundEntries.slotCount - 2)
    }
}
