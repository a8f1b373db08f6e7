import CXXHash
import StoryCore
import StoryStorage

/// The header of the journal: the log that it belongs to, and its size.
///
/// `magic 8 · ID of the log 16 · size of the file in bytes 8 · XXH3-64 of all before it 8`, then zeros up to the first
/// half.
package struct JournalHeader: Equatable {
    /// The offset of the first half.
    package static let halvesStart = 4_096
    /// The number of the first sector of the first half.
    static let firstSector = halvesStart / JournalSector.size
    /// The size of the header, in bytes.
    package static let size = 40
    private static let magic = Array("stkjlog3".utf8)

    let logID: [UInt8]
    let fileSize: Int

    /// Makes the header of a log's journal of the given size in bytes.
    package init(logID: [UInt8], fileSize: Int) {
        precondition(logID.count == LogHeader.idCount, "log ID of \(logID.count) bytes")
        self.logID = logID
        self.fileSize = fileSize
    }

    /// Reads a header; nil if it is damaged.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= JournalHeader.size, bytes.starts(with: JournalHeader.magic),
            JournalHeader.checksum(bytes) == bytes.number(at: JournalHeader.size - 8, as: UInt64.self),
            let fileSize = Int(exactly: bytes.number(at: 24, as: UInt64.self)),
            JournalHeader.halfSectors(of: fileSize) > 0
        else { return nil }
        logID = Array(bytes[8..<24])
        self.fileSize = fileSize
    }

    /// The header as it is stored.
    package var bytes: [UInt8] {
        var bytes = JournalHeader.magic + logID
        bytes.append(littleEndian: UInt64(fileSize))
        bytes.append(littleEndian: JournalHeader.checksum(bytes))
        return bytes
    }

    /// The number of sectors of each half.
    var halfSectors: Int { JournalHeader.halfSectors(of: fileSize) }
    /// The numbers of the sectors of both halves.
    var sectors: Range<Int> { JournalHeader.firstSector..<JournalHeader.firstSector + 2 * halfSectors }

    private static func halfSectors(of fileSize: Int) -> Int {
        (fileSize - halvesStart) / (2 * JournalSector.size)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { XXH3_64bits(bytes, size - 8) }
}

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
