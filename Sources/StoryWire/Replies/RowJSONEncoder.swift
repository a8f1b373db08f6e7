package import StoryCore

/// An encoder of rows as JSON for `GET` and `LIST`, driven by the schemas of the kinds.
///
/// Unchecked: its tables are in its own memory, and never change.
package final class RowJSONEncoder: @unchecked Sendable {
    /// The plan of each kind, by the kind's number.
    private let plans: UnsafeBufferPointer<Plan>
    /// The memory of the tables.
    private let memory: FixedMemory

    /// Creates an encoder for the kinds of a catalogue.
    package init(_ catalogue: Catalogue) {
        let memory = FixedMemory()
        self.memory = memory
        plans = memory.table(catalogue.kinds.map { Plan($0, in: memory) })
    }

    /// The encoder for the store's own kinds.
    package static let standard = RowJSONEncoder(.standard)

    /// Appends one JSON object: the ID, the version, the position, then the fields in order; absent ones are omitted.
    package func append(_ row: borrowing RowView, to bytes: inout [UInt8]) {
        let plan = plans[row.layout.kindNumber]
        let record = row.bytes
        let (plain, growth) = plan.texts(record)
        bytes.appendWritten(atMost: plan.fixedCount + record.count + growth) { writer in
            plan.write(record, plain, to: &writer)
        }
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
    let members: UnsafeBufferPointer<Member>
    /// The maximum length of a row in bytes, without its names and texts.
    let fixedCount: Int

    init(_ schema: KindSchema, in memory: FixedMemory) {
        layout = schema.layout
        var members: [Member] = []
        var count = 64 + 3 * ByteWriter.integerCount
        for (field, slot) in zip(schema.fields, schema.layout.slots) {
            var label: [UInt8] = [0x2C]
            label.appendString(field.name)
            label.append(0x3A)
            let words = field.words
            members.append(
                Member(slot: slot, label: memory.bytes(label), words: memory.table(words.map(memory.bytes))))
            count += label.count + slot.storage.maxCount + (words.map(\.count).max() ?? 0)
        }
        self.members = memory.table(members)
        fixedCount = count
    }

    /// Returns a bit for each text, in order, that needs no escape, and the most bytes that escapes may add to the
    /// others.
    func texts(_ record: UnsafeRawBufferPointer) -> (plain: UInt64, growth: Int) {
        var start = layout.headCount + layout.nameBytes(in: record)
        var plain: UInt64 = 0
        var growth = 0
        for index in 0..<layout.textCount {
            let count = record.length(layout.textOffset + 4 * index)
            let text = record.slice(start, count: count)
            if text.firstEscape(from: 0) == count { plain |= 1 << UInt64(index) } else { growth += 5 * count }
            start += count
        }
        return (plain, growth)
    }

    func write(_ record: UnsafeRawBufferPointer, _ plain: UInt64, to writer: inout ByteWriter) {
        var cursor = Cursor(record, layout, plain)
        writer.literal(#"{"id":"#)
        writer.name(cursor.nextPiece(layout.count(ofPiece: 0, in: record)))
        writer.literal(#","version":"#)
        writer.integer(record.sixByteNumber(at: RowLayout.versionOffset))
        writer.literal(#","position":"#)
        writer.integer(record.sixByteNumber(at: RowLayout.positionOffset))
        for member in members {
            let slot = member.slot
            guard slot.presence < 0 || record.isSet(slot.presence) else {
                cursor.skip(slot.storage)
                continue
            }
            writer.raw(member.label)
            write(member, record, &cursor, to: &writer)
        }
        writer.byte(0x7D)
    }

    private func write(
        _ member: Member, _ record: UnsafeRawBufferPointer, _ cursor: inout Cursor, to writer: inout ByteWriter
    ) {
        let slot = member.slot
        switch slot.storage {
        case .name: writer.name(cursor.nextName(slot.offset))
        case .text:
            let (text, isPlain) = cursor.nextText(slot.offset)
            if isPlain { writer.name(text) } else { writer.other { $0.appendString(text) } }
        case .integer: writer.signed(Int64(bitPattern: record.word(slot.offset)))
        case .number: writer.number(Double(bitPattern: record.word(slot.offset)))
        case .date: writer.date(Instant(milliseconds: Int64(bitPattern: record.word(slot.offset))))
        case .flag: record.isSet(slot.flag) ? writer.literal("true") : writer.literal("false")
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
private struct Cursor {
    private let record: UnsafeRawBufferPointer
    private var name: Int
    private var text: Int
    private var plain: UInt64

    init(_ record: UnsafeRawBufferPointer, _ layout: RowLayout, _ plain: UInt64) {
        self.record = record
        self.plain = plain
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

    mutating func nextText(_ offset: Int) -> (text: UnsafeRawBufferPointer, isPlain: Bool) {
        let count = record.length(offset)
        defer {
            text += count
            plain >>= 1
        }
        return (record.slice(text, count: count), plain & 1 == 1)
    }

    /// Skips an absent name or text: it has no bytes, but a text has a bit in `plain`.
    mutating func skip(_ storage: RowLayout.Storage) {
        if storage == .text { plain >>= 1 }
    }
}

extension FieldSchema {
    /// The words of a choice as JSON strings.
    fileprivate var words: [[UInt8]] {
        guard case .choice(let words) = type else { return [] }
        return words.map { word in
            var bytes: [UInt8] = []
            bytes.appendString(word)
            return bytes
        }
    }
}

extension RowLayout.Storage {
    /// The maximum length of a value in JSON in bytes, without those of a name, a text or a word.
    fileprivate var maxCount: Int {
        switch self {
        case .name, .text: 2
        case .integer: 1 + ByteWriter.integerCount
        case .number: 32
        case .date: 2 + Instant.textCount
        case .flag: 5
        case .fraction: 3 + 2 * ByteWriter.integerCount
        case .choice: 0
        }
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
