/// A view of a stored row in the store's memory, valid until the closure that receives it returns. It does not retain
/// its schema, which lives longer than the row.
///
/// Its initializer checks every length once, so that reading a field cannot go wrong.
@usableFromInline
package struct RowView: BitwiseCopyable {
    @usableFromInline let layoutPointer: UnsafePointer<RowLayout>
    /// The bytes of the row.
    @usableFromInline package let bytes: UnsafeRawBufferPointer

    /// Creates a view; nil when the bytes are no row of this kind.
    package init?(_ layout: UnsafePointer<RowLayout>, _ bytes: UnsafeRawBufferPointer) {
        guard layout.pointee.fits(bytes) else { return nil }
        self.init(trusted: bytes, layout)
    }

    /// Creates a view without a check, for bytes that this program has just written.
    package init(trusted bytes: UnsafeRawBufferPointer, _ layout: UnsafePointer<RowLayout>) {
        layoutPointer = layout
        self.bytes = bytes
    }

    /// The schema of the row's kind.
    package var schema: KindSchema { layout.schema }
    /// The layout of the row.
    @inlinable package var layout: RowLayout { layoutPointer.pointee }

    /// The row's number: the order in which rows were posted.
    package var number: UInt64 { bytes.sixByteNumber(at: RowLayout.numberOffset) }
    /// The version of the row's stream.
    package var version: Version { Version(bytes.sixByteNumber(at: RowLayout.versionOffset)) }
    /// The position of the last event that changed it.
    package var position: Position { Position(bytes.sixByteNumber(at: RowLayout.positionOffset)) }

    /// The bytes of the row's key.
    package var key: UnsafeRawBufferPointer {
        let layout = layout
        return bytes.slice(layout.headCount, count: layout.count(ofPiece: 0, in: bytes))
    }

    /// Returns false where an optional field is absent.
    package func has(_ field: Int) -> Bool {
        let bit = layout.slots[field].presence
        return bit < 0 || isSet(bit)
    }

    /// Returns the bytes of a name or a text; none where it is absent, or the field is of another type.
    package func text(_ field: Int) -> UnsafeRawBufferPointer {
        let slot = layoutPointer.pointee.slots[field]
        guard slot.piece > 0, let base = bytes.baseAddress else { return .none }
        var start = layout.headCount
        for piece in 0..<slot.piece { start += count(ofPiece: piece) }
        return UnsafeRawBufferPointer(start: base + start, count: count(ofPiece: slot.piece))
    }

    /// Returns the elements of a list; none where it is absent, or the field is no list.
    package func list(_ field: Int) -> PackedList {
        let slot = layoutPointer.pointee.slots[field]
        return PackedList(stored: slot.storage == .list ? text(field) : .none, of: slot.scalar)
    }

    /// Returns the entries of a map; none where it is absent, or the field is no map.
    package func map(_ field: Int) -> PackedMap {
        let slot = layoutPointer.pointee.slots[field]
        return PackedMap(stored: slot.storage == .map ? text(field) : .none, of: slot.scalar)
    }

    /// Returns the number of bytes of a piece of variable length.
    ///
    /// - Parameter piece: the index among the key, the names, the texts.
    @inlinable
    package func count(ofPiece piece: Int) -> Int { layoutPointer.pointee.count(ofPiece: piece, in: bytes) }

    /// Returns the bits of a fixed field: an integer's, a double's, a date's milliseconds, a fraction's numerator in
    /// the lower half and denominator in the upper one, the index of a choice, or 1 for a set flag.
    package func bits(_ field: Int) -> UInt64 {
        let slot = layout.slots[field]
        switch slot.storage {
        case .integer, .number, .date, .fraction:
            return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: slot.offset, as: UInt64.self))
        case .choice: return UInt64(bytes[slot.offset])
        case .flag: return isSet(slot.flag) ? 1 : 0
        case .name, .text, .list, .map, .decimal: return 0
        }
    }

    /// Returns the value of an integer.
    package func integer(_ field: Int) -> Int64 { Int64(bitPattern: bits(field)) }
    /// Returns the value of a number.
    package func double(_ field: Int) -> Double { Double(bitPattern: bits(field)) }
    /// Returns the value of a decimal; the field is one.
    package func decimal(_ field: Int) -> ModelNumber { bytes.decimal(at: layout.slots[field].offset) }
    /// Returns the value of a date.
    package func date(_ field: Int) -> Instant { Instant(milliseconds: Int64(bitPattern: bits(field))) }
    /// Returns the value of a flag.
    package func flag(_ field: Int) -> Bool { bits(field) == 1 }

    private func isSet(_ bit: Int) -> Bool { bytes[RowLayout.bitsOffset + bit >> 3] >> UInt8(bit & 7) & 1 == 1 }
}

extension RowLayout {
    /// Returns the number of bytes of a piece of variable length in a record, whose head must be complete.
    ///
    /// - Parameter piece: the index among the key, the names, the texts.
    @inlinable
    package func count(ofPiece piece: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        if piece == 0 { return Int(bytes.number(at: idOffset, as: UInt16.self)) }
        guard piece >= nameCount else { return Int(bytes[idOffset + RowLayout.idLengthCount - 1 + piece]) }
        let offset = textOffset + 4 * (piece - nameCount)
        return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Returns the number of bytes of the key and the names of a record, whose head must be complete.
    @inlinable
    package func nameBytes(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = count(ofPiece: 0, in: bytes)
        for offset in idOffset + RowLayout.idLengthCount..<textOffset { count += Int(bytes[offset]) }
        return count
    }

    /// Returns true when the lengths add up to the number of bytes, the key has a valid length, each choice a valid index
    /// and each list or map as many elements as it says.
    package func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= headCount else { return false }
        var count = headCount
        for piece in 0..<pieceCount { count += self.count(ofPiece: piece, in: bytes) }
        guard count == bytes.count, keys.isValid(count: self.count(ofPiece: 0, in: bytes)) else { return false }
        return choices.allSatisfy { Int(bytes[$0.offset]) < $0.choiceCount }
            && collections.allSatisfy { $0.isCollection(piece($0.piece, in: bytes)) }
    }

    /// Returns a piece of variable length of a record whose lengths add up.
    private func piece(_ number: Int, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = headCount
        for piece in 0..<number { start += count(ofPiece: piece, in: bytes) }
        return bytes.slice(start, count: count(ofPiece: number, in: bytes))
    }
}

/// A copy of a row, for use after the store's view is no longer valid.
package struct RowCopy: Equatable, Sendable {
    /// The schema of the row's kind.
    package let schema: KindSchema
    /// The bytes of the row, as stored in its table.
    package let bytes: [UInt8]

    /// Copies a row.
    package init(_ row: borrowing RowView) {
        schema = row.schema
        bytes = Array(row.bytes)
    }

    /// Calls `body` with a view of the row, which is valid until it returns.
    package func withView<Result>(_ body: (RowView) -> Result) -> Result {
        bytes.withUnsafeBytes { body(RowView(trusted: $0, schema.layoutPointer)) }
    }

    package static func == (left: RowCopy, right: RowCopy) -> Bool {
        left.schema === right.schema && left.bytes == right.bytes
    }
}
