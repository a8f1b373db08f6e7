import StoryStorage
import CXXHash
import StoryCore

/// 512 bytes of the journal, which a disk writes whole or not at all.
///
/// `XXH3-64 of what follows, seeded with the number of the sector in the file 8 · sequence of the entry 8 · number of
/// the sector in its entry 4 · sectors of the entry 4 · payload 488`, little-endian. A sector that no entry was written
/// to has the sequence 0. So a sector whose checksum does not match is damage, never a write that was cut off.
package struct JournalSector {
    package static let size = 512
    static let headerSize = 24
    static let payload = JournalSector.size - JournalSector.headerSize

    let sequence: UInt64
    let index: Int
    let count: Int
    /// Tells this sector with its content from every other one.
    let checksum: UInt64

    /// Nil unless every byte of the sector is as it was written.
    ///
    /// - Parameter number: of the sector in the file.
    init?(_ bytes: UnsafeRawBufferPointer, number: Int) {
        checksum = bytes.number(at: number * JournalSector.size, as: UInt64.self)
        sequence = bytes.number(at: number * JournalSector.size + 8, as: UInt64.self)
        index = Int(bytes.number(at: number * JournalSector.size + 16, as: UInt32.self))
        count = Int(bytes.number(at: number * JournalSector.size + 20, as: UInt32.self))
        guard let base = bytes.baseAddress,
            JournalSector.checksum(base + number * JournalSector.size, number) == checksum
        else { return nil }
    }

    /// Writes the header before a payload that is there already, and returns the checksum.
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

    /// Where the payload of a sector begins in the file.
    static func payloadStart(_ number: Int) -> Int { number * size + headerSize }

    private static func checksum(_ sector: UnsafeRawPointer, _ number: Int) -> UInt64 {
        xxhi_64(sector + 8, size - 8, UInt64(number))
    }
}
