import CXXHash
import StoryStorage

/// The first bytes of the commit journal: whose it is, and how long.
///
/// `magic 8 · ID of the store 16 · bytes of the file 8 · XXH3-64 of all that 8`, then zeros up to the first block.
struct JournalHeader: Equatable {
    /// Where the first block begins.
    static let blocksStart = 4_096
    static let size = 40
    private static let magic = Array("stkjlog1".utf8)

    let storeID: [UInt8]
    let fileSize: Int

    init(storeID: [UInt8], fileSize: Int) {
        precondition(storeID.count == LogHeader.storeIDCount, "A store's ID has 16 bytes.")
        self.storeID = storeID
        self.fileSize = fileSize
    }

    /// Nil unless every byte is as it was written.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= JournalHeader.size, bytes.starts(with: JournalHeader.magic),
            JournalHeader.checksum(bytes) == bytes.number(at: JournalHeader.size - 8, as: UInt64.self),
            let fileSize = Int(exactly: bytes.number(at: 24, as: UInt64.self)),
            fileSize > JournalHeader.blocksStart, fileSize % JournalBlock.alignment == 0
        else { return nil }
        storeID = Array(bytes[8..<24])
        self.fileSize = fileSize
    }

    var bytes: [UInt8] {
        var bytes = JournalHeader.magic + storeID
        bytes.append(littleEndian: UInt64(fileSize))
        bytes.append(littleEndian: JournalHeader.checksum(bytes))
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { XXH3_64bits(bytes, size - 8) }
}
