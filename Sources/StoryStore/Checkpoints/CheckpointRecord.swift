package import StoryCore
import StoryStorage

/// The record of stored models: whose log they are a fold of, up to which position, and by which version of the folds.
package struct CheckpointRecord: Equatable {
    private static let size = 28
    static let key = Array("checkpoint".utf8)
    /// The key of the record while a checkpoint is written in several commits and the models are between two positions.
    static let mark = Array("applying".utf8)

    let version: UInt32
    /// The position that the models are folded up to.
    package let position: Position
    let storeID: [UInt8]
}

extension CheckpointRecord {
    /// Parses a record; nil when the bytes are not one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == CheckpointRecord.size else { return nil }
        version = bytes.number(at: 0, as: UInt32.self)
        position = Position(bytes.number(at: 4, as: UInt64.self))
        storeID = Array(bytes[12...])
    }

    /// The encoded record, in bytes: `version 4 · position 8 · store's ID 16`, little-endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: position.value)
        bytes.append(contentsOf: storeID)
        return bytes
    }

    static func read(
        _ transaction: borrowing ReadTransaction, _ meta: Database, at key: [UInt8] = CheckpointRecord.key
    ) throws(StorageError) -> CheckpointRecord? {
        try key.withBytes { (key) throws(StorageError) in
            try transaction.value(in: meta, at: key).flatMap { CheckpointRecord(Array($0)) }
        }
    }

    static func read(
        _ meta: StoredTree, at key: [UInt8] = CheckpointRecord.key
    ) throws(StorageError) -> CheckpointRecord? {
        try key.withBytes { (key) throws(StorageError) in
            try meta.value(at: key, isProving: true).flatMap { CheckpointRecord(Array($0)) }
        }
    }

    func write(
        _ transaction: borrowing WriteTransaction, _ meta: Database, as key: [UInt8]
    ) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in
            try bytes.withBytes { (value) throws(StorageError) in try transaction.put(value, in: meta, at: key) }
        }
    }

    static func remove(
        _ key: [UInt8], _ transaction: borrowing WriteTransaction, _ meta: Database
    ) throws(StorageError) {
        try key.withBytes { (key) throws(StorageError) in
            try transaction.withCursor(in: meta) { (cursor) throws(StorageError) in try cursor.remove(key) }
        }
    }
}
