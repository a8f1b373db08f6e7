import StoryStorage
import CXXHash
import StoryCore

/// The header of a log, the value at key 0: the identity of the log, and the file that it was last served from.
///
/// `version 4 · ID 16 · created 8 · ancestor count 4 · inode 8 · birth time 8 · for each ancestor, the newest first: ID
/// 16, position 8 · XXH3-64 of all before it 8`.
struct LogHeader: Equatable {
    static let idCount = 16
    static let version: UInt32 = 3
    private static let fixed = 48
    private static let entry = 24

    let identity: StoredIdentity
    let created: Instant
    /// The `data.mdb` that the header was written to.
    let file: FileIdentity
}

extension LogHeader {
    /// Reads a header.
    ///
    /// - Throws: `.corrupt` if it is damaged, `.failed` if it has another version.
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
        file = FileIdentity(
            inode: bytes.number(at: 32, as: UInt64.self), birthNanoseconds: bytes.number(at: 40, as: Int64.self))
        identity = StoredIdentity(
            id: Array(bytes[4..<20]),
            ancestors: (0..<count).map { index in
                let start = LogHeader.fixed + LogHeader.entry * index
                return StoredIdentity.Ancestor(
                    id: Array(bytes[start..<start + 16]),
                    position: Position(bytes.number(at: start + 16, as: UInt64.self)))
            })
    }

    /// The header as it is stored.
    var bytes: [UInt8] {
        precondition(identity.id.count == LogHeader.idCount, "log ID of \(identity.id.count) bytes")
        var bytes: [UInt8] = []
        bytes.append(littleEndian: LogHeader.version)
        bytes.append(contentsOf: identity.id)
        bytes.append(littleEndian: created.milliseconds)
        bytes.append(littleEndian: UInt32(identity.ancestors.count))
        bytes.append(littleEndian: file.inode)
        bytes.append(littleEndian: file.birthNanoseconds)
        for ancestor in identity.ancestors {
            bytes.append(contentsOf: ancestor.id)
            bytes.append(littleEndian: ancestor.position.value)
        }
        bytes.append(littleEndian: XXH3_64bits(bytes, bytes.count))
        return bytes
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { XXH3_64bits(bytes, bytes.count - 8) }

    /// Returns the header with another identity and file.
    func with(_ identity: StoredIdentity, in file: FileIdentity) -> LogHeader {
        LogHeader(identity: identity, created: created, file: file)
    }

    /// Overwrites the header of the log in an environment, in a commit of its own.
    ///
    /// - Throws: `.full` if there is no room and nothing has changed; after any other error it is unknown whether the
    ///   header was written.
    func replace(in environment: Environment) throws(StorageError) {
        let transaction = try WriteTransaction(environment)
        try bytes.withBytes { (bytes) throws(StorageError) in
            try PositionKey.with(0) { (key) throws(StorageError) in try transaction.put(bytes, in: .main, at: key) }
        }
        try transaction.commit()
    }
}
