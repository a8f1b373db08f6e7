package import StoryCore
import StoryStorage

/// The chain of seals, which proves every record and everything before it.
///
/// `seal(P) = SHA-256(seal(P−1) ‖ header of record P from byte 9 on ‖ its JSON up to the labels ‖ commit(labels), where
/// there are any ‖ commit(content))`, and `commit(x) = SHA-256(salt ‖ x)`. An erased part has its commitment in its
/// area, so the chain goes on proving everything else.
package enum SealChain {
    /// Returns the seal that the first record follows, computed from the ID of the log that the history began in.
    static func first(of root: [UInt8]) -> Seal {
        var hash = SHA256()
        (Array("storykeep".utf8) + root).withUnsafeBytes { hash.add($0) }
        return Seal(bytes: withUnsafeBytes(of: hash.finish()) { Array($0) })
    }

    /// Returns the seal of the last record of a run.
    ///
    /// - Throws: `.corrupt` if the offsets or lengths of a record do not fit.
    package static func seal(of run: RecordRun, after seal: Seal) throws(StorageError) -> Seal {
        try self.seal(of: run, from: run.first, through: run.last, after: seal)
    }

    /// Returns the seal of the record at `last` in a run.
    ///
    /// - Parameters:
    ///   - seal: the seal before the record at `first`.
    ///   - mask: the events that are being erased, whose records may be torn.
    /// - Throws: `.corrupt` if the offsets or lengths of a record do not fit.
    static func seal(
        of run: RecordRun, from first: UInt64, through last: UInt64, after seal: Seal,
        _ mask: ErasureMask = ErasureMask()
    ) throws(StorageError) -> Seal {
        var digest = SHA256.none
        withUnsafeMutableBytes(of: &digest) { $0.copyBytes(from: seal.bytes) }
        for position in first...last {
            let record = try run.record(at: position)
            if !mask.isEmpty, let erased = try mask.erased(record, at: position) {
                digest = try erased.withBytes { (bytes) throws(StorageError) in try self.seal(bytes, position, digest) }
            } else {
                digest = try self.seal(record, position, digest)
            }
        }
        return Seal(bytes: withUnsafeBytes(of: digest) { Array($0) })
    }

    /// Returns the seal of the record that follows a seal.
    private static func seal(
        _ record: UnsafeRawBufferPointer, _ position: UInt64, _ before: SHA256.Digest
    ) throws(StorageError) -> SHA256.Digest {
        var hash = SHA256()
        hash.add(before)
        try add(record, position, to: &hash)
        return hash.finish()
    }

    /// Returns the first 8 bytes of the hash of what a record adds to its seal: an erasure does not change them.
    ///
    /// - Throws: `.corrupt` if the offsets or lengths of the record do not fit.
    package static func proof(of record: UnsafeRawBufferPointer, at position: Position) throws(StorageError) -> UInt64 {
        var hash = SHA256()
        try add(record, position.value, to: &hash)
        return withUnsafeBytes(of: hash.finish()) { $0.loadUnaligned(as: UInt64.self) }
    }

    /// Adds what a record adds to its seal.
    private static func add(
        _ record: UnsafeRawBufferPointer, _ position: UInt64, to hash: inout SHA256
    ) throws(StorageError) {
        guard record.count >= EventHeader.size, RecordLayout.count(record) == record.count,
            let layout = RecordLayout(EventHeader(record, at: Position(position))), layout.count == record.count
        else { throw Record.damaged(position, "has lengths that do not fit its text") }
        let byte = record[EventHeader.stateStart]
        let erased = ErasedState(byte, hasLabels: layout.hasLabels)
        guard byte == ErasedState.whole || erased != nil else { throw Record.damaged(position, "has state \(byte)") }
        hash.add(record, EventHeader.sealedStart..<EventHeader.size)
        hash.add(record, layout.kept)
        if let area = layout.labelArea {
            let isErased = erased?.hasNoLabels ?? false
            try add(area, of: record, isErased: isErased, used: RecordLayout.commitmentSize, position, to: &hash)
        }
        let used = RecordLayout.commitmentSize + RecordLayout.erasureSize
        try add(layout.contentArea, of: record, isErased: erased != nil, used: used, position, to: &hash)
    }

    /// Adds the commitment of a part: the hash of its salt and text, or the one that an erasure left.
    ///
    /// - Parameter used: the number of bytes that an erasure leaves in the area; zeros follow.
    private static func add(
        _ area: RecordArea, of record: UnsafeRawBufferPointer, isErased: Bool, used: Int, _ position: UInt64,
        to hash: inout SHA256
    ) throws(StorageError) {
        for index in area.zeros where !isErased && record[index] != 0 { throw stray(position) }
        guard !isErased else {
            guard area.pieces(used..<area.count).joined().allSatisfy({ record[$0] == 0 }) else { throw stray(position) }
            return area.pieces(0..<RecordLayout.commitmentSize).forEach { hash.add(record, $0) }
        }
        hash.add(area.commitment(in: record))
    }

    private static func stray(_ position: UInt64) -> StorageError {
        Record.damaged(position, "has bytes that belong to no part of it")
    }
}

/// The seal of a record: SHA-256 over the record and the seal before it, a hash chain that makes the history
/// tamper-evident.
///
/// It is a function of the events alone, so logs with the same records have the same seals wherever their blocks end.
package struct Seal: Equatable, Sendable {
    /// The size of a seal, in bytes.
    package static let size = 32

    /// The hash.
    package let bytes: [UInt8]

    /// Makes a seal of a hash.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The hash as 64 hexadecimal digits.
    package var text: String { String(decoding: bytes.hexadecimal, as: UTF8.self) }
}
