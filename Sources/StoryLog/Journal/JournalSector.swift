import StoryStorage
import CXXHash
import StoryCore

/// A sector of the journal: 512 bytes, which a disk writes completely or not at all.
///
/// `XXH3-64 of the rest, seeded with the number of the sector in the file 8 · sequence of the entry 8 · number of the
/// sector in its entry 4 · sectors of the entry 4 · payload 488`, little-endian. A sector that no entry was written to
/// has the sequence 0. So a sector whose checksum does not match is damage, never a write that was cut off.
package struct JournalSector {
    /// The size of a sector, in bytes.
    package static let size = 512
    static let headerSize = 24
    static let payload = JournalSector.size - JournalSector.headerSize

    let sequence: UInt64
    let index: Int
    let count: Int
    /// The checksum, which covers the content and the number of the sector.
    let checksum: UInt64

    /// Reads a sector; nil if it is damaged.
    ///
    /// - Parameter number: the number of the sector in the file.
    init?(_ bytes: UnsafeRawBufferPointer, number: Int) {
        checksum = bytes.number(at: number * JournalSector.size, as: UInt64.self)
        sequence = bytes.number(at: number * JournalSector.size + 8, as: UInt64.self)
        index = Int(bytes.number(at: number * JournalSector.size + 16, as: UInt32.self))
        count = Int(bytes.number(at: number * JournalSector.size + 20, as: UInt32.self))
        guard let base = bytes.baseAddress,
            JournalSector.checksum(base + number * JournalSector.size, number) == checksum
        else { return nil }
    }

    /// Writes the header of a sector, whose payload must be written, and returns the checksum.
    @discardableResult
    package static func seal(
        _ target: UnsafeMutableRawPointer, number: Int, sequence: UInt64, index: Int, count: Int
    ) -> UInt64 {
        target.put(sequence, at: 8)
        target.put(UInt32(index), at: 16)
        target.put(UInt32(count), at: 20)
        let checksum = checksum(target, number)
        target.put(checksum, at: 0)
        return checksum
    }

    /// Returns the offset of a sector's payload in the file.
    static func payloadStart(_ number: Int) -> Int { number * size + headerSize }

    private static func checksum(_ sector: UnsafeRawPointer, _ number: Int) -> UInt64 {
        xxhi_64(sector + 8, size - 8, UInt64(number))
    }
}
