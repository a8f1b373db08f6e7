import StoryStorage
package import StoryCore

/// The bytes that an erasure leaves of an event's parts: their commitments, so that the chain of seals
/// proves the rest as before.
///
/// They are all that is needed to erase a record again where a write of it was torn: an erasure changes neither the
/// lengths in the header nor the JSON that is kept.
package struct RecordErasure: Equatable, Sendable {
    /// The commitment of the content, and the position of the event that erases it.
    struct Content: Equatable {
        let commitment: [UInt8]
        let eraser: Position
    }

    /// The position of the record.
    package let position: Position
    /// The state of the record afterwards.
    let state: UInt8
    /// Nil where the content was erased before.
    let content: Content?
    /// The commitment of the labels; nil where they stay, or were erased before.
    let labels: [UInt8]?
}

extension RecordErasure {
    /// Computes the erasure of a record; nil where nothing is left to erase.
    ///
    /// Of a record whose content is gone already, the labels alone are left to go.
    ///
    /// - Parameter eraser: the position of the event that erases it.
    /// - Throws: `.corrupt` if the record is damaged.
    package init?(
        of record: UnsafeRawBufferPointer, at position: Position, by eraser: Position, dropsLabels: Bool
    ) throws(StorageError) {
        let event = try Record.read(record, at: position.value)
        guard let layout = RecordLayout(EventHeader(record, at: position)) else {
            throw Record.damaged(position.value, "has lengths that do not fit its text")
        }
        let before = record[EventHeader.stateStart]
        state = ErasedState.byte(erasedBefore: before, dropsLabels: dropsLabels && layout.hasLabels)
        guard state != before else { return nil }
        self.position = position
        content =
            event.erased == nil
            ? Content(commitment: RecordErasure.bytes(layout.contentArea.commitment(in: record)), eraser: eraser) : nil
        labels =
            dropsLabels
            ? layout.labelArea.map { RecordErasure.bytes($0.commitment(in: record)) } : nil
    }

    private static func bytes(_ digest: SHA256.Digest) -> [UInt8] { withUnsafeBytes(of: digest) { Array($0) } }

    /// Returns a record as the erasure leaves it; one that is erased already, or was overwritten in part, becomes the same.
    ///
    /// - Throws: `.corrupt` if the lengths in its header do not fit its size.
    package func erased(_ record: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8] {
        guard record.count >= EventHeader.size, RecordLayout.count(record) == record.count,
            let layout = RecordLayout(EventHeader(record, at: position)), layout.count == record.count,
            labels == nil || layout.hasLabels
        else { throw Record.damaged(position.value, "has lengths that do not fit its text") }
        var bytes = [UInt8](record)
        if let content {
            var left = content.commitment
            left.append(sixBytesOf: content.eraser.value)
            RecordErasure.fill(layout.contentArea, of: &bytes, with: left)
        }
        if let labels, let area = layout.labelArea { RecordErasure.fill(area, of: &bytes, with: labels) }
        bytes[EventHeader.stateStart] = state
        let checksum = bytes.withBytes { Record.checksum($0, position.value) }
        for index in 0..<MemoryLayout<UInt64>.size {
            bytes[index] = UInt8(truncatingIfNeeded: checksum >> UInt64(8 * index))
        }
        return bytes
    }

    /// Fills the area of a part with some bytes, and zeros behind them.
    private static func fill(_ area: RecordArea, of bytes: inout [UInt8], with left: [UInt8]) {
        for (index, place) in area.pieces(0..<area.count).joined().enumerated() {
            bytes[place] = index < left.count ? left[index] : 0
        }
    }
}

// MARK: In a file

extension RecordErasure {
    private static let contentBit: UInt8 = 1
    private static let labelsBit: UInt8 = 2

    /// The encoded erasure, in bytes: `position 6 · state 1 · parts 1 · commitment 32 and eraser 6 of the content, if that is
    /// one of the parts · commitment 32 of the labels, if they are`, little-endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(sixBytesOf: position.value)
        bytes.append(state)
        bytes.append((content == nil ? 0 : RecordErasure.contentBit) | (labels == nil ? 0 : RecordErasure.labelsBit))
        if let content {
            bytes += content.commitment
            bytes.append(sixBytesOf: content.eraser.value)
        }
        if let labels { bytes += labels }
        return bytes
    }

    /// Decodes an erasure, and removes its bytes; nil where they are none.
    init?(_ bytes: inout ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        position = Position(bytes.prefix(6).sixByteNumber)
        state = bytes[bytes.startIndex + 6]
        let parts = bytes[bytes.startIndex + 7]
        bytes.removeFirst(8)
        guard parts != 0, parts & ~(RecordErasure.contentBit | RecordErasure.labelsBit) == 0 else { return nil }
        let size = RecordLayout.commitmentSize
        if parts & RecordErasure.contentBit != 0 {
            guard bytes.count >= size + RecordLayout.erasureSize else { return nil }
            let eraser = bytes.dropFirst(size).prefix(RecordLayout.erasureSize)
            content = Content(
                commitment: Array(bytes.prefix(size)), eraser: Position(eraser.sixByteNumber))
            bytes.removeFirst(size + RecordLayout.erasureSize)
        } else {
            content = nil
        }
        if parts & RecordErasure.labelsBit != 0 {
            guard bytes.count >= size else { return nil }
            labels = Array(bytes.prefix(size))
            bytes.removeFirst(size)
        } else {
            labels = nil
        }
    }
}

extension [UInt8] {
    /// Appends the 6 low bytes of a number, little-endian.
    mutating func append(sixBytesOf value: UInt64) {
        for index in 0..<6 { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}

extension ArraySlice<UInt8> {
    /// The number that the bytes spell, little-endian.
    var sixByteNumber: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
