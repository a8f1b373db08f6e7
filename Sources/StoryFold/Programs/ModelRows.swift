package import StoryCore

/// A reader and writer of the stored rows of a declared model, as values of its program.
///
/// It is valid as long as the schema.
package struct ModelRows: BitwiseCopyable {
    private let layoutPointer: UnsafePointer<RowLayout>

    /// Creates a reader and writer of a kind's rows.
    package init(_ schema: KindSchema) { layoutPointer = schema.layoutPointer }

    /// Reads the values of a row, one for each field; those of texts, lists and maps are views of the row's bytes.
    package func read(_ row: RowView, into values: UnsafeMutablePointer<ModelValue>) {
        let (layout, bytes) = (layoutPointer.pointee, row.bytes)
        var start = layout.headCount + layout.nameBytes(in: bytes)
        for (number, slot) in layout.slots.enumerated() {
            guard slot.piece == 0 else {
                let count = layout.count(ofPiece: slot.piece, in: bytes)
                values[number] = row.has(slot) ? slot.value(of: bytes.slice(start, count: count)) : .missing
                start += count
                continue
            }
            guard row.has(slot) else {
                values[number] = .missing
                continue
            }
            switch slot.storage {
            case .decimal: values[number] = .number(bytes.decimal(at: slot.offset))
            case .date: values[number] = .time(row.date(number))
            case .flag: values[number] = .boolean(row.flag(number))
            case .name, .text, .list, .map, .integer, .number, .fraction, .choice: values[number] = .missing
            }
        }
    }

    /// Writes a row in the stored form to a buffer, in place of its content.
    ///
    /// - Parameter number: the row's number.
    package func write(_ row: ModelRow, number: UInt64, to memory: inout KeyBuffer) {
        let layout = layoutPointer.pointee
        var count = layout.headCount + row.key.count
        for (number, slot) in layout.slots.enumerated() where slot.piece > 0 { count += slot.count(row.values[number]) }
        let start = memory.ensureCapacity(count)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: layout.headCount)
        start.store48(number, RowLayout.numberOffset)
        start.store48(row.changes, RowLayout.versionOffset)
        start.store48(row.position.value, RowLayout.positionOffset)
        start.put(UInt16(truncatingIfNeeded: row.key.count), at: layout.idOffset)
        var end = start + layout.headCount
        end += end.copy(row.key)
        for (number, slot) in layout.slots.enumerated() {
            end += slot.write(row.values[number], to: start, piece: end)
        }
    }
}

extension RowView {
    /// Returns false where the field of a slot is absent.
    fileprivate func has(_ slot: RowLayout.Slot) -> Bool {
        let bit = slot.presence
        return bit < 0 || bytes[RowLayout.bitsOffset + bit >> 3] >> UInt8(bit & 7) & 1 == 1
    }
}

extension RowLayout.Slot {
    /// Returns the value with the bytes of a text, a list or a map.
    fileprivate func value(of bytes: UnsafeRawBufferPointer) -> ModelValue {
        switch storage {
        case .text: .text(bytes)
        case .list: .list(PackedList(stored: bytes, of: scalar))
        case .map: .map(PackedMap(stored: bytes, of: scalar))
        case .name, .integer, .number, .decimal, .date, .flag, .fraction, .choice: .missing
        }
    }

    /// Returns the size of the piece of a value, in bytes; 0 for a value of another type, which is stored as none.
    fileprivate func count(_ value: ModelValue) -> Int {
        switch (storage, value) {
        case (.text, .text(let text)): text.count
        case (.list, .list(let list)): list.count == 0 ? 0 : PackedList.storedCountSize + list.bytes.count
        case (.map, .map(let map)): map.count == 0 ? 0 : PackedList.storedCountSize + map.bytes.count
        case (.text, _), (.list, _), (.map, _), (.name, _), (.integer, _), (.number, _), (.decimal, _), (.date, _),
            (.flag, _), (.fraction, _), (.choice, _):
            0
        }
    }

    /// Writes a value to the head of a record, and its piece behind the pieces before it.
    ///
    /// - Returns: the size of the piece, in bytes.
    fileprivate func write(
        _ value: ModelValue, to head: UnsafeMutableRawPointer, piece: UnsafeMutableRawPointer
    ) -> Int {
        switch (storage, value) {
        case (.decimal, .number(let number)): head.put(number, at: offset)
        case (.date, .time(let time)): head.put(time.milliseconds, at: offset)
        case (.flag, .boolean(let flag)): if flag { head.set(bit: self.flag, true) }
        case (.text, .text(let text)):
            head.put(UInt32(truncatingIfNeeded: text.count), at: offset)
            _ = piece.copy(text)
        case (.list, .list(let list)):
            guard list.count > 0 else { return 0 }
            head.put(UInt32(truncatingIfNeeded: piece.putElements(list.bytes, list.count)), at: offset)
        case (.map, .map(let map)):
            guard map.count > 0 else { return 0 }
            head.put(UInt32(truncatingIfNeeded: piece.putElements(map.bytes, map.count)), at: offset)
        case (.text, _), (.list, _), (.map, _), (.name, _), (.integer, _), (.number, _), (.decimal, _), (.date, _),
            (.flag, _), (.fraction, _), (.choice, _):
            return 0
        }
        if presence >= 0 { head.set(bit: presence, true) }
        return count(value)
    }
}

extension UnsafeMutableRawPointer {
    /// Copies bytes to the address; returns their number.
    fileprivate func copy(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let source = bytes.baseAddress { copyMemory(from: source, byteCount: bytes.count) }
        return bytes.count
    }

    /// Stores the number of packed elements and the elements; returns the number of bytes.
    fileprivate func putElements(_ bytes: UnsafeRawBufferPointer, _ count: Int) -> Int {
        put(UInt16(truncatingIfNeeded: count), at: 0)
        return PackedList.storedCountSize + (self + PackedList.storedCountSize).copy(bytes)
    }
}
