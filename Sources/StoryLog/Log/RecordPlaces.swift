import CLMDB
import Glibc
import StoryCore

/// Where in the map records were found, so that reading them again needs no search in the B-tree.
///
/// A record that is durable keeps its bytes but not its place: LMDB copies a page that it changes, and uses the old
/// one for something else later. So a place is a hint, and what lies there counts only where it matches its checksum,
/// which is seeded with the position: no other bytes are the record of this position. Only the thread that appends
/// may ask, because nothing changes under it between checking a record and copying it.
///
/// Memory is bounded: a position has one slot, which it shares with those that are a multiple of `slotCount` away.
final class RecordPlaces {
    /// A position, and an address with a size below it in one number; zeros where nothing is known.
    private struct Slot {
        var position: UInt64
        var place: UInt64
    }

    /// 2 MiB, of which only what is used becomes memory.
    private static let slotCount = 1 << 17
    private static let sizeBits: UInt64 = 17
    /// How many records ahead memory is asked for, so that it is there when it is looked at.
    private static let distance = 6
    /// Slots are asked for earlier still, because a record can only be asked for when its slot is there.
    private static let slotDistance = 2 * distance

    private let slots: UnsafeMutablePointer<Slot>

    init() {
        guard let memory = calloc(RecordPlaces.slotCount, MemoryLayout<Slot>.stride) else {
            preconditionFailure("There is memory for \(RecordPlaces.slotCount) places.")
        }
        slots = memory.bindMemory(to: Slot.self, capacity: RecordPlaces.slotCount)
    }

    deinit { free(slots) }

    /// Where the record of a position was last; nil when that is not known.
    @inline(__always)
    func place(of position: Position) -> UnsafeRawBufferPointer? {
        let slot = slot(position).pointee
        guard slot.position == position.value, slot.place != 0 else { return nil }
        let size = Int(slot.place & ((1 << RecordPlaces.sizeBits) - 1))
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(slot.place >> RecordPlaces.sizeBits)), count: size)
    }

    /// Remembers where a durable record lies.
    @inline(__always)
    func note(_ bytes: UnsafeRawBufferPointer, of position: Position) {
        let address = UInt64(UInt(bitPattern: bytes.baseAddress))
        // Large records are worth a search, and addresses have 47 bits wherever the kernel was not asked for more.
        guard bytes.count < 1 << RecordPlaces.sizeBits, address >> (64 - RecordPlaces.sizeBits) == 0 else { return }
        slot(position).pointee = Slot(
            position: position.value, place: address << RecordPlaces.sizeBits | UInt64(bytes.count))
    }

    /// Asks the processor for what the records after this one will need.
    @inline(__always)
    func lookAhead(_ positions: [Position], from index: Int) {
        let far = index + RecordPlaces.slotDistance
        if far < positions.count { clm_prefetch(slot(positions[far]), 1) }
        let near = index + RecordPlaces.distance
        guard near < positions.count, let place = place(of: positions[near]) else { return }
        clm_prefetch(place.baseAddress, place.count)
    }

    @inline(__always)
    private func slot(_ position: Position) -> UnsafeMutablePointer<Slot> {
        slots + Int(truncatingIfNeeded: position.value) & (RecordPlaces.slotCount - 1)
    }
}
