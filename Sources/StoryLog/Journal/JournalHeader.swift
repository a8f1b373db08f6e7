import StoryStorage
import StoryCore
import CXXHash

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
