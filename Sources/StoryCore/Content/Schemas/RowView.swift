/// A stored row, read where it lies. Its bytes belong to whoever gave them: a view must not outlive their closure. It
/// counts no reference to its schema either, which lives longer than what it describes.
///
/// Making one checks every length once, so that reading a field cannot go wrong.
@usableFromInline
package struct RowView: BitwiseCopyable {
    @usableFromInline let layoutPointer: UnsafePointer<RowLayout>
    @usableFromInline package let bytes: UnsafeRawBufferPointer

    /// Nil when the bytes are no row of this kind.
    package init?(_ layout: UnsafePointer<RowLayout>, _ bytes: UnsafeRawBufferPointer) {
        guard layout.pointee.fits(bytes) else { return nil }
        self.init(trusted: bytes, layout)
    }

    /// Bytes that were written by this program a moment ago.
    package init(trusted bytes: UnsafeRawBufferPointer, _ layout: UnsafePointer<RowLayout>) {
        layoutPointer = layout
        self.bytes = bytes
    }

    package var schema: KindSchema { layout.schema }
    /// Where the parts of the row lie.
    @inlinable package var layout: RowLayout { layoutPointer.pointee }

    /// The row's number: the order in which rows were posted.
    package var number: UInt64 { bytes.sixByteNumber(at: RowLayout.numberOffset) }
    /// The version of its stream.
    package var version: Version { Version(bytes.sixByteNumber(at: RowLayout.versionOffset)) }
    /// The last event that changed it.
    package var position: Position { Position(bytes.sixByteNumber(at: RowLayout.positionOffset)) }

    package var id: UnsafeRawBufferPointer {
        let layout = layout
        return bytes.slice(layout.headCount, count: Int(bytes[layout.idOffset]))
    }

    /// False where an optional field is absent.
    package func has(_ field: Int) -> Bool {
        let bit = layout.slots[field].presence
        return bit < 0 || isSet(bit)
    }

    /// The bytes of a name or a text; none where it is absent, or the field is of another type.
    package func text(_ field: Int) -> UnsafeRawBufferPointer {
        let slot = layoutPointer.pointee.slots[field]
        guard slot.piece > 0, let base = bytes.baseAddress else { return .none }
        var start = layout.headCount
        for piece in 0..<slot.piece { start += count(ofPiece: piece) }
        return UnsafeRawBufferPointer(start: base + start, count: count(ofPiece: slot.piece))
    }

    /// How many bytes a piece of no fixed length has.
    ///
    /// - Parameter piece: its number: the ID, the names, the texts.
    @inlinable
    package func count(ofPiece piece: Int) -> Int { layoutPointer.pointee.count(ofPiece: piece, in: bytes) }

    /// The bits of a fixed field: an integer's, a double's, a date's milliseconds, the numerator of a fraction in the
    /// lower half and the denominator in the upper one, the number of a choice, or 1 for a flag that is set.
    package func bits(_ field: Int) -> UInt64 {
        let slot = layout.slots[field]
        switch slot.storage {
        case .integer, .number, .date, .fraction:
            return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: slot.offset, as: UInt64.self))
        case .choice: return UInt64(bytes[slot.offset])
        case .flag: return isSet(slot.flag) ? 1 : 0
        case .name, .text: return 0
        }
    }

    package func integer(_ field: Int) -> Int64 { Int64(bitPattern: bits(field)) }
    package func double(_ field: Int) -> Double { Double(bitPattern: bits(field)) }
    package func date(_ field: Int) -> Instant { Instant(milliseconds: Int64(bitPattern: bits(field))) }
    package func flag(_ field: Int) -> Bool { bits(field) == 1 }

    private func isSet(_ bit: Int) -> Bool { bytes[RowLayout.bitsOffset + bit >> 3] >> UInt8(bit & 7) & 1 == 1 }
}

extension RowLayout {
    /// How many bytes a piece of no fixed length has in a record, whose head is all there.
    ///
    /// - Parameter piece: its number: the ID, the names, the texts.
    @inlinable
    package func count(ofPiece piece: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard piece >= nameCount else { return Int(bytes[idOffset + piece]) }
        let offset = textOffset + 4 * (piece - nameCount)
        return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// True when the lengths say as many bytes as there are, and what has no other sense has one of its own.
    package func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= headCount else { return false }
        var count = headCount
        for piece in 0..<pieceCount { count += self.count(ofPiece: piece, in: bytes) }
        guard count == bytes.count, Identifier.length.contains(Int(bytes[idOffset])) else { return false }
        return choices.allSatisfy { Int(bytes[$0.offset]) < $0.choiceCount }
    }
}
