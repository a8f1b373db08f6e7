import CSimdJSON
import StoryCore

/// A name of at most 16 bytes, packed into two words for fast comparison.
private struct PackedName: BitwiseCopyable {
    static let maxCount = 16
    /// All bits but the one that distinguishes small ASCII letters from capitals, in each byte.
    private static let letters: UInt64 = 0xDFDF_DFDF_DFDF_DFDF

    private let count: Int
    private let first: UInt64
    private let second: UInt64

    /// Packs a name.
    ///
    /// - Parameter bytes: at most 16.
    init(_ bytes: UnsafeRawBufferPointer) {
        let name = csj_pack(bytes.baseAddress, bytes.count)
        (count, first, second) = (bytes.count, name.first, name.second)
    }

    /// A hash below 128 that ignores the case of letters.
    var slot: Int {
        let mixed = (first & PackedName.letters) ^ (second & PackedName.letters) &<< 1
        return Int((mixed &* 0x9E37_79B9_7F4A_7C15) &>> 57)
    }

    func isSame(as other: PackedName) -> Bool {
        first == other.first && second == other.second && count == other.count
    }

    /// Returns whether the names are the same ignoring case; both must consist of letters.
    func isSame(ignoringCaseAs other: PackedName) -> Bool {
        ((first ^ other.first) | (second ^ other.second)) & PackedName.letters == 0 && count == other.count
    }
}

/// An open-addressed hash table of the protocol's names.
///
/// Unchecked: it never changes.
struct NameTable: @unchecked Sendable {
    private static let slotCount = 128

    private let names: UnsafeBufferPointer<PackedName>
    /// The index of the name in each slot, negative in a free one; collisions use the next free slot.
    private let slots: UnsafeBufferPointer<Int8>
    private let memory = FixedMemory()

    /// Creates a table.
    ///
    /// - Parameter names: at most 64, of at most 16 letters each.
    init(_ names: [String]) {
        precondition(names.count <= NameTable.slotCount / 2, "\(names.count) names in \(NameTable.slotCount) slots")
        var slots = [Int8](repeating: -1, count: NameTable.slotCount)
        var packed: [PackedName] = []
        for name in names {
            let isSound = name.utf8.count <= PackedName.maxCount && name.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 }
            precondition(isSound, "\(name) is not a name of at most \(PackedName.maxCount) letters")
            let name = Array(name.utf8).withUnsafeBytes { PackedName($0) }
            var slot = name.slot
            while slots[slot] >= 0 { slot = (slot + 1) % NameTable.slotCount }
            slots[slot] = Int8(packed.count)
            packed.append(name)
        }
        self.names = memory.table(packed)
        self.slots = memory.table(slots)
    }

    /// Returns the index of the name with these bytes; nil if there is none.
    func find(_ bytes: UnsafeRawBufferPointer) -> Int? { find(bytes) { $0.isSame(as: $1) } }

    /// Returns the index of the name with these bytes, ignoring case; nil if there is none.
    func find(ignoringCase bytes: UnsafeRawBufferPointer) -> Int? { find(bytes) { $0.isSame(ignoringCaseAs: $1) } }

    @inline(__always)
    private func find(_ bytes: UnsafeRawBufferPointer, _ isSame: (PackedName, PackedName) -> Bool) -> Int? {
        guard bytes.count <= PackedName.maxCount else { return nil }
        let word = PackedName(bytes)
        var slot = word.slot
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if isSame(names[index], word) { return index }
            slot = (slot + 1) % NameTable.slotCount
        }
        return nil
    }
}
