import StoryStorage
import CXXHash

/// The first bytes of the journal: whose it is, and how long.
///
/// `magic 8 · ID of the log 16 · bytes of the file 8 · XXH3-64 of all that 8`, then zeros up to the first half.
package struct JournalHeader: Equatable {
    /// Where the first half begins.
    package static let halvesStart = 4_096
    package static let size = 40
    private static let magic = Array("stkjlog3".utf8)

    let logID: [UInt8]
    let fileSize: Int

    package init(logID: [UInt8], fileSize: Int) {
        precondition(logID.count == LogHeader.idCount, "A log's ID has 16 bytes.")
        self.logID = logID
        self.fileSize = fileSize
    }

    /// Nil unless every byte is as it was written.
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

    /// How many sectors each half has.
    var halfSectors: Int { JournalHeader.halfSectors(of: fileSize) }

    private static func halfSectors(of fileSize: Int) -> Int {
        (fileSize - halvesStart) / (2 * JournalSector.size)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { XXH3_64bits(bytes, size - 8) }
}
