package import StoryCore

/// An encoder of rows as JSON for `GET` and `LIST`, driven by the schemas of the kinds.
package final class RowJSONEncoder {
    /// The plans, indexed by the kinds' numbers; nil for kinds that were removed.
    private var plans: UnsafeBufferPointer<Plan?>
    /// The memory of the plans.
    private var memory: FixedMemory
    /// The catalogue of the plans, whose schemas have the layouts.
    private var catalogue: Catalogue

    /// Creates an encoder for the kinds of a catalogue.
    package init(_ catalogue: Catalogue) {
        (memory, plans) = RowJSONEncoder.plans(of: catalogue)
        self.catalogue = catalogue
    }

    /// Encodes rows of another catalogue's kinds from now on.
    package func catalogueReplaced(by catalogue: Catalogue) {
        (memory, plans) = RowJSONEncoder.plans(of: catalogue)
        self.catalogue = catalogue
    }

    /// Appends one JSON object: the ID, the version, the position, then the fields in order; absent ones are omitted.
    package func append(_ row: borrowing RowView, to bytes: inout ByteWriter) {
        let (number, record) = (row.layout.kindNumber, row.bytes)
        if number < plans.count, let plan = plans[number] { return plan.write(record, to: &bytes) }
        // A row of a kind that was removed, from an answer that began before.
        let (memory, schema) = (FixedMemory(), row.schema)
        withExtendedLifetime((memory, schema)) { Plan(schema, in: memory).write(record, to: &bytes) }
    }

    private static func plans(of catalogue: Catalogue) -> (FixedMemory, UnsafeBufferPointer<Plan?>) {
        let memory = FixedMemory()
        var plans = [Plan?](repeating: nil, count: catalogue.numberEnd)
        for kind in catalogue.kinds { plans[kind.number] = Plan(kind, in: memory) }
        return (memory, memory.table(plans))
    }
}

/// The precomputed output of one kind's rows.
private struct Plan: BitwiseCopyable {
    /// A member: its label, and the slot of its value.
    struct Member: BitwiseCopyable {
        let slot: RowLayout.Slot
        /// `,"title":`
        let label: UnsafeRawBufferPointer
        /// The words of a choice, as JSON.
        let words: UnsafeBufferPointer<UnsafeRawBufferPointer>
    }

    let layout: RowLayout
    /// True when the row's number of changes is not the version of a stream.
    let isCounted: Bool
    let members: UnsafeBufferPointer<Member>

    init(_ schema: KindSchema, in memory: FixedMemory) {
        layout = schema.layout
        isCounted = schema.program != nil
        let members = zip(schema.fields, schema.layout.slots).map { field, slot in
            let label = ByteWriter.bytes { bytes in
                bytes.byte(0x2C)
                bytes.string(field.name)
                bytes.byte(0x3A)
            }
            return Member(slot: slot, label: memory.bytes(label), words: memory.table(field.words.map(memory.bytes)))
        }
        self.members = memory.table(members)
    }

    func write(_ record: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
        var cursor = RecordTextCursor(record, layout)
        writer.literal(#"{"id":"#)
        writer.key(cursor.nextPiece(layout.count(ofPiece: 0, in: record)), layout.keys)
        writer.literal(isCounted ? #","changes":"# : #","version":"#)
        writer.integer(record.sixByteNumber(at: RowLayout.versionOffset))
        writer.literal(#","position":"#)
        writer.integer(record.sixByteNumber(at: RowLayout.positionOffset))
        for member in members {
            let slot = member.slot
            guard slot.presence < 0 || record.isSet(slot.presence) else { continue }
            writer.raw(member.label)
            write(member, record, &cursor, to: &writer)
        }
        writer.byte(0x7D)
    }

    private func write(
        _ member: Member, _ record: UnsafeRawBufferPointer, _ cursor: inout RecordTextCursor,
        to writer: inout ByteWriter
    ) {
        let slot = member.slot
        switch slot.storage {
        case .name: writer.name(cursor.nextName(slot.offset))
        case .text: writer.string(cursor.nextText(slot.offset))
        case .list: writer.list(PackedList(stored: cursor.nextText(slot.offset), of: slot.scalar))
        case .map: writer.map(PackedMap(stored: cursor.nextText(slot.offset), of: slot.scalar))
        case .integer: writer.integer(Int64(bitPattern: record.word(slot.offset)))
        case .number: writer.number(Double(bitPattern: record.word(slot.offset)))
        case .decimal: writer.decimal(record.decimal(at: slot.offset))
        case .date: writer.date(Instant(milliseconds: Int64(bitPattern: record.word(slot.offset))))
        case .flag: writer.boolean(record.isSet(slot.flag))
        case .fraction:
            let bits = record.word(slot.offset)
            writer.byte(0x22)
            writer.integer(bits & 0xFFFF_FFFF)
            writer.byte(0x2F)
            writer.integer(bits >> 32)
            writer.byte(0x22)
        case .choice: writer.raw(member.words[Int(record[slot.offset])])
        }
    }
}

/// A cursor over a record's names and texts, which are in the order of the fields.
private struct RecordTextCursor {
    private let record: UnsafeRawBufferPointer
    private var name: Int
    private var text: Int

    init(_ record: UnsafeRawBufferPointer, _ layout: RowLayout) {
        self.record = record
        name = layout.headCount
        text = layout.headCount + layout.nameBytes(in: record)
    }

    mutating func nextName(_ offset: Int) -> UnsafeRawBufferPointer {
        nextPiece(Int(record[offset]))
    }

    mutating func nextPiece(_ count: Int) -> UnsafeRawBufferPointer {
        defer { name += count }
        return record.slice(name, count: count)
    }

    mutating func nextText(_ offset: Int) -> UnsafeRawBufferPointer {
        let count = record.length(offset)
        defer { text += count }
        return record.slice(text, count: count)
    }
}

extension ByteWriter {
    /// Appends a list as a JSON array.
    fileprivate mutating func list(_ list: PackedList) {
        byte(0x5B)
        var isFirst = true
        list.forEachValue { element in
            if !isFirst { byte(0x2C) }
            isFirst = false
            value(element)
            return true
        }
        byte(0x5D)
    }

    /// Appends a map as a JSON object.
    fileprivate mutating func map(_ map: PackedMap) {
        byte(0x7B)
        var isFirst = true
        map.forEach { key, element in
            if !isFirst { byte(0x2C) }
            isFirst = false
            string(key)
            byte(0x3A)
            value(element)
        }
        byte(0x7D)
    }

    /// Appends an element of a list or a map.
    private mutating func value(_ value: ModelValue) {
        switch value {
        case .text(let text): string(text)
        case .number(let number): decimal(number)
        case .boolean(let flag): boolean(flag)
        case .time(let time): date(time)
        case .absent, .list, .map, .array, .object: literal("null")
        }
    }

    /// Appends the text of a row's key as a JSON string.
    mutating func key(_ key: UnsafeRawBufferPointer, _ shape: RowKeyShape) {
        guard shape != .id else { return name(key) }
        if let text = RowKeyShape.plainText(of: key) { return name(text) }
        shape.text(of: key).withUnsafeBytes { name($0) }
    }
}

extension FieldSchema {
    /// The words of a choice as JSON strings.
    fileprivate var words: [[UInt8]] {
        guard case .choice(let words) = type else { return [] }
        return words.map { word in ByteWriter.bytes { $0.string(word) } }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    fileprivate func length(_ offset: Int) -> Int {
        Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    fileprivate func isSet(_ bit: Int) -> Bool {
        self[RowLayout.bitsOffset + bit >> 3] >> UInt8(bit & 7) & 1 == 1
    }
}

/// The encoder of pushes to row subscriptions as JSON: once for all, since each connection adds its own number.
package struct RowPushEncoder {
    private let rows: RowJSONEncoder

    /// Creates an encoder.
    ///
    /// - Parameter rows: the encoder of the rows.
    package init(_ rows: RowJSONEncoder) { self.rows = rows }

    /// Returns `{"position":P,"row":{…}}`: the row's state.
    package func row(_ row: RowView) -> [UInt8] {
        Self.line(row.position, #","row":"#) { rows.append(row, to: &$0) }
    }

    /// Returns `{"position":P,"row":null}`: there is no such row, or no longer.
    package static func absent(at position: Position) -> [UInt8] {
        line(position, #","row":"#) { $0.literal("null") }
    }

    /// Returns `{"position":P,"removed":"ID"}`: the row is no longer in the list.
    ///
    /// - Parameter shape: the form of the row's key.
    package static func removed(_ key: [UInt8], _ shape: RowKeyShape, at position: Position) -> [UInt8] {
        line(position, #","removed":"#) { bytes in key.withUnsafeBytes { bytes.key($0, shape) } }
    }

    private static func line(
        _ position: Position, _ name: StaticString, _ value: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        ByteWriter.bytes { bytes in
            bytes.literal(#"{"position":"#)
            bytes.integer(position.value)
            bytes.literal(name)
            value(&bytes)
            bytes.byte(0x7D)
        }
    }
}
