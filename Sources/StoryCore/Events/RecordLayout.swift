/// The layout of a record of the log: the header, a salt for the labels where there are any, a salt for the content, the
/// JSON, and zeros.
///
/// The zeros make the area of each part large enough for what an erasure leaves in it: the commitment of the part, and
/// in the content's area the position of the event that erased it.
@usableFromInline
package struct RecordLayout {
    /// The salt of each commitment, in bytes.
    @inlinable package static var saltSize: Int { 16 }
    /// The size of a commitment, in bytes.
    @inlinable package static var commitmentSize: Int { 32 }
    /// The size of the position that an erasure leaves behind the commitment of the content, in bytes.
    @inlinable package static var erasureSize: Int { 6 }
    /// The least size of a record, in bytes: a header, a salt and the shortest content.
    package static let least = EventHeader.size + commitmentSize + erasureSize
    /// The number of bytes that the text of the labels and its zeros have at least.
    @inlinable static var leastLabels: Int { commitmentSize - saltSize }
    /// The number of bytes that the text of the content and its zeros have at least.
    @inlinable static var leastContent: Int { commitmentSize + erasureSize - saltSize }

    /// The offsets in the JSON, as if nothing were erased.
    @usableFromInline package let text: EventText
    /// True if the event has a key or tags, which have a salt of their own.
    @usableFromInline package let hasLabels: Bool
    /// The number of zeros of the labels' area.
    @usableFromInline let labelZeros: UInt8
    /// The number of zeros of the content's area.
    @usableFromInline let contentZeros: UInt8

    /// Computes the layout of an event; nil if the lengths do not fit.
    @inlinable
    @inline(__always)
    package init?(_ header: EventHeader) {
        guard let text = EventText(header) else { return nil }
        self.text = text
        hasLabels = header.hasLabels
        let (labels, content) = (text.labels.count, text.content.count)
        labelZeros = UInt8(labels == 0 ? 0 : max(0, RecordLayout.leastLabels - labels))
        contentZeros = UInt8(max(0, RecordLayout.leastContent - content))
    }

    /// The number of zeros behind the JSON.
    @inlinable package var zeros: Int { Int(labelZeros) + Int(contentZeros) }
    /// The offset of the JSON in the record.
    @inlinable package var jsonStart: Int { RecordLayout.jsonStart(hasLabels) }
    /// The size of the record, in bytes.
    @inlinable package var count: Int { jsonStart + text.count + zeros }

    /// Returns the size of a record by its header alone, in bytes; the buffer has at least `EventHeader.size`.
    @inlinable
    package static func count(_ record: UnsafeRawBufferPointer) -> Int {
        jsonStart(of: record) + EventHeader.jsonCount(record) + Int(record[47])
    }

    /// Returns the offset of the JSON by the header of a record alone.
    @inlinable
    package static func jsonStart(of record: UnsafeRawBufferPointer) -> Int {
        jsonStart(record[42] > 0 || record.number(at: 10, as: UInt16.self) > 0)
    }

    @inlinable
    @inline(__always)
    static func jsonStart(_ hasLabels: Bool) -> Int { EventHeader.size + saltSize * (hasLabels ? 2 : 1) }
}

/// The bytes of a record that one part of an event has, in three pieces: its salt, its text and its zeros.
package struct RecordArea: Equatable {
    /// The range of the salt.
    package let salt: Range<Int>
    /// The range of the text.
    package let text: Range<Int>
    /// The range of the zeros.
    package let zeros: Range<Int>

    /// The ranges of some bytes of the area, counted from its beginning, in up to three pieces.
    package func pieces(_ range: Range<Int>) -> [Range<Int>] {
        var (skipped, left) = (range.lowerBound, range.count)
        var found: [Range<Int>] = []
        for piece in [salt, text, zeros] {
            let start = min(skipped, piece.count)
            let count = min(left, piece.count - start)
            if count > 0 { found.append(piece.lowerBound + start..<piece.lowerBound + start + count) }
            (skipped, left) = (skipped - start, left - count)
        }
        return found
    }

    /// The size of the area, in bytes.
    package var count: Int { salt.count + text.count + zeros.count }
}

extension RecordLayout {
    /// The area of the labels; nil where there are none.
    package var labelArea: RecordArea? {
        guard hasLabels else { return nil }
        let zerosStart = jsonStart + text.count
        return RecordArea(
            salt: EventHeader.size..<EventHeader.size + RecordLayout.saltSize, text: inRecord(text.labels),
            zeros: zerosStart..<zerosStart + Int(labelZeros))
    }

    /// The area of the content.
    package var contentArea: RecordArea {
        RecordArea(
            salt: jsonStart - RecordLayout.saltSize..<jsonStart, text: inRecord(text.content),
            zeros: count - Int(contentZeros)..<count)
    }

    /// The range of the JSON that is kept for ever.
    package var kept: Range<Int> { jsonStart..<jsonStart + text.labels.lowerBound }

    private func inRecord(_ range: Range<Int>) -> Range<Int> {
        jsonStart + range.lowerBound..<jsonStart + range.upperBound
    }
}

/// The parts of an event that were erased.
package struct ErasedState: Equatable {
    /// The state of a record that nothing was erased of.
    package static let whole: UInt8 = 0
    private static let labelsBit: UInt8 = 1
    private static let contentBit: UInt8 = 2

    /// True if the labels were erased as well as the content.
    package let hasNoLabels: Bool

    /// Returns the state of a record whose content is erased, and its labels where they are dropped or were before.
    package static func byte(erasedBefore state: UInt8, dropsLabels: Bool) -> UInt8 {
        state | contentBit | (dropsLabels ? labelsBit : 0)
    }

    /// Reads the state of a record of which something was erased; nil for a state that no record has.
    package init?(_ byte: UInt8, hasLabels: Bool) {
        guard byte & ErasedState.contentBit != 0, byte & ~(ErasedState.contentBit | ErasedState.labelsBit) == 0 else {
            return nil
        }
        hasNoLabels = byte & ErasedState.labelsBit != 0
        guard hasLabels || !hasNoLabels else { return nil }
    }
}
