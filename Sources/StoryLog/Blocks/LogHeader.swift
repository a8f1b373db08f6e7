import StoryStorage
import CXXHash
import StoryCore

/// The value at key 0: which log this is.
///
/// `version 4 · ID 16 · created 8 · how many ancestors 4 · for each, the newest first: ID 16, position 8 · XXH3-64 of
/// all that 8`.
struct LogHeader: Equatable {
    static let idCount = 16
    static let version: UInt32 = 2
    private static let fixed = 32
    private static let entry = 24

    let identity: StoredIdentity
    let created: Instant

    init(identity: StoredIdentity, created: Instant) {
        self.identity = identity
        self.created = created
    }

    /// - Throws: `.corrupt` unless every byte is as it was written, `.failed` for another version.
    init(_ bytes: [UInt8]) throws(StorageError) {
        guard bytes.count >= LogHeader.fixed + 8,
            LogHeader.checksum(bytes) == bytes.number(at: bytes.count - 8, as: UInt64.self)
        else { throw .corrupt("the header of the log does not match its checksum", at: .zero) }
        let found = bytes.number(at: 0, as: UInt32.self)
        guard found == LogHeader.version else {
            throw .failed("the log's header is of version \(found), not \(LogHeader.version)")
        }
        let count = Int(bytes.number(at: 28, as: UInt32.self))
        guard bytes.count == LogHeader.fixed + LogHeader.entry * count + 8 else {
            throw .corrupt("the header of the log does not have its length", at: .zero)
        }
        created = Instant(milliseconds: bytes.number(at: 20, as: Int64.self))
        identity = StoredIdentity(
            id: Array(bytes[4..<20]),
            ancestors: (0..<count).map { LogHeader.ancestor(bytes, at: LogHeader.fixed + LogHeader.entry * $0) })
    }

    /// The bytes as they are stored.
    var bytes: [UInt8] {
        precondition(identity.id.count == LogHeader.idCount, "A log's ID has 16 bytes.")
        var bytes: [UInt8] = []
        bytes.append(littleEndian: LogHeader.version)
        bytes.append(contentsOf: identity.id)
        bytes.append(littleEndian: created.milliseconds)
        bytes.append(littleEndian: UInt32(identity.ancestors.count))
        for ancestor in identity.ancestors {
            bytes.append(contentsOf: ancestor.id)
            bytes.append(littleEndian: ancestor.position.value)
        }
        bytes.append(littleEndian: XXH3_64bits(bytes, bytes.count))
        return bytes
    }

    private static func ancestor(_ bytes: [UInt8], at offset: Int) -> StoredIdentity.Ancestor {
        StoredIdentity.Ancestor(
            id: Array(bytes[offset..<offset + 16]),
            position: Position(bytes.number(at: offset + 16, as: UInt64.self)))
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { XXH3_64bits(bytes, bytes.count - 8) }
}
