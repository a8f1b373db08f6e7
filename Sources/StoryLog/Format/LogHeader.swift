import CXXHash
import StoryCore
import StoryStorage

/// The record at key 0: which log this is. The chain of seals begins with it.
struct LogHeader: Equatable {
    static let storeIDCount = 16
    static let version: UInt32 = 1
    private static let size = 36

    let storeID: [UInt8]
    let created: Instant

    init(storeID: [UInt8], created: Instant) {
        self.storeID = storeID
        self.created = created
    }

    /// Throws `.corrupt` unless every byte is as it was written.
    init(_ bytes: [UInt8]) throws(StorageError) {
        guard bytes.count == LogHeader.size,
            LogHeader.checksum(bytes) == bytes.number(at: LogHeader.size - 8, as: UInt64.self)
        else { throw .corrupt("the header of the log does not match its checksum", at: .zero) }
        let found = bytes.number(at: 0, as: UInt32.self)
        guard found == LogHeader.version else { throw .failed("the log is of format \(found), not 1") }
        storeID = Array(bytes[4..<20])
        created = Instant(milliseconds: bytes.number(at: 20, as: Int64.self))
    }

    /// `format 4 · store's ID 16 · created 8 · checksum 8`.
    var bytes: [UInt8] {
        precondition(storeID.count == LogHeader.storeIDCount, "A store's ID has 16 bytes.")
        var bytes: [UInt8] = []
        bytes.append(littleEndian: LogHeader.version)
        bytes.append(contentsOf: storeID)
        bytes.append(littleEndian: created.milliseconds)
        bytes.append(littleEndian: LogHeader.checksum(bytes))
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        XXH3_64bits_withSeed(bytes, LogHeader.size - 8, 0)
    }
}
