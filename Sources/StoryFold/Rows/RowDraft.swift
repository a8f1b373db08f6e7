import StoryCore

/// A row while an event is folded into it: its head in the stored form, and views of its names and texts.
struct RowDraft: ~Copyable {
    /// The longest head that a schema may have, in bytes: bits, and at most nine bytes for each field.
    private static let maxHeadCount =
        RowLayout.bitsOffset + KindDeclaration.maxFieldCount / 4 + RowLayout.idLengthCount
        + KindDeclaration.maxFieldCount * 9

    private let head = UnsafeMutableRawPointer.allocate(byteCount: RowDraft.maxHeadCount, alignment: 8)
    /// The ID, the names and the texts, by the numbers in `RowLayout.Slot.piece`.
    private let pieces = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(
        capacity: KindDeclaration.maxFieldCount + 1)

    deinit {
        head.deallocate()
        pieces.deallocate()
    }

    /// Begins with a new row: integers are 0, flags are false, all else is absent.
    func begin(_ layout: RowLayout) {
        head.initializeMemory(as: UInt8.self, repeating: 0, count: layout.headCount)
        pieces.initialize(repeating: .none, count: layout.pieceCount)
    }

    /// Begins with an existing row.
    func begin(_ row: RowView) {
        let layout = row.layout
        guard let start = row.bytes.baseAddress else { return }
        head.copyMemory(from: start, byteCount: layout.headCount)
        var end = layout.headCount
        for piece in 0..<layout.pieceCount {
            let count = row.count(ofPiece: piece)
            pieces[piece] = UnsafeRawBufferPointer(start: start + end, count: count)
            end += count
        }
    }

    /// Applies one step of an event; returns false when the event's data does not fit the step.
    func apply(_ plan: ChangePlan, _ members: UnsafeBufferPointer<JSONMember>, at time: Instant) -> Bool {
        switch plan.step {
        case .set:
            guard let value = members.value(plan.member, expectedAt: plan.expected) else { return false }
            return set(plan, to: value)
        case .setIfGiven:
            guard let value = members.value(plan.member, expectedAt: plan.expected) else { return true }
            return set(plan, to: value)
        case .setOrTime:
            if let value = members.value(plan.member, expectedAt: plan.expected) { return set(plan, to: value) }
            setBits(plan.slot, UInt64(bitPattern: time.milliseconds))
        case .setTime: setBits(plan.slot, UInt64(bitPattern: time.milliseconds))
        case .add(let amount):
            let old = UInt64(littleEndian: head.loadUnaligned(fromByteOffset: plan.slot.offset, as: UInt64.self))
            let (sum, isOver) = Int64(bitPattern: old).addingReportingOverflow(amount)
            if !isOver { setBits(plan.slot, UInt64(bitPattern: max(sum, 0))) }
        case .setFlag(let flag): setBits(plan.slot, flag ? 1 : 0)
        }
        return true
    }

    private func set(_ plan: ChangePlan, to value: JSONMember.Value) -> Bool {
        let slot = plan.slot
        switch slot.storage {
        case .text:
            guard case .string(let text) = value else { return false }
            setText(slot, text)
        case .list, .map, .decimal: return false
        case .name:
            guard case .string(let name) = value, name.isName else { return false }
            head.storeBytes(of: UInt8(truncatingIfNeeded: name.count), toByteOffset: slot.offset, as: UInt8.self)
            setPiece(slot, name)
        case .integer, .number, .date, .flag, .fraction, .choice:
            guard let bits = value.bits(plan) else { return false }
            setBits(slot, bits)
        }
        return true
    }

    private func setText(_ slot: RowLayout.Slot, _ text: UnsafeRawBufferPointer) {
        let count = UInt32(truncatingIfNeeded: text.count).littleEndian
        head.storeBytes(of: count, toByteOffset: slot.offset, as: UInt32.self)
        setPiece(slot, text)
    }

    private func setPiece(_ slot: RowLayout.Slot, _ bytes: UnsafeRawBufferPointer) {
        pieces[slot.piece] = bytes
        if slot.presence >= 0 { head.set(bit: slot.presence, true) }
    }

    /// Stores the value of a field of fixed size.
    ///
    /// - Parameter bits: the value as `RowView.bits` returns it.
    private func setBits(_ slot: RowLayout.Slot, _ bits: UInt64) {
        if slot.presence >= 0 { head.set(bit: slot.presence, true) }
        switch slot.storage {
        case .integer, .number, .date, .fraction:
            head.storeBytes(of: bits.littleEndian, toByteOffset: slot.offset, as: UInt64.self)
        case .choice:
            head.storeBytes(of: UInt8(truncatingIfNeeded: bits), toByteOffset: slot.offset, as: UInt8.self)
        case .flag: head.set(bit: slot.flag, bits == 1)
        case .name, .text, .list, .map, .decimal: break
        }
    }

    /// Writes the row in the stored form.
    func write(_ layout: RowLayout, _ event: FoldedEvent, to memory: inout KeyBuffer) {
        head.store48(event.number, RowLayout.numberOffset)
        head.store48(event.version.value, RowLayout.versionOffset)
        head.store48(event.position.value, RowLayout.positionOffset)
        let idCount = UInt16(truncatingIfNeeded: event.id.count).littleEndian
        head.storeBytes(of: idCount, toByteOffset: layout.idOffset, as: UInt16.self)
        pieces[0] = event.id
        let headCount = layout.headCount
        var count = headCount
        for piece in 0..<layout.pieceCount { count += pieces[piece].count }
        let start = memory.ensureCapacity(count)
        start.copyMemory(from: head, byteCount: headCount)
        var end = start + headCount
        for piece in 0..<layout.pieceCount {
            let bytes = pieces[piece]
            guard let source = bytes.baseAddress else { continue }
            end.copyMemory(from: source, byteCount: bytes.count)
            end += bytes.count
        }
    }
}

extension UnsafeMutableRawPointer {
    /// Stores the lower six bytes of a number, the highest first.
    func store48(_ value: UInt64, _ offset: Int) {
        storeBytes(of: UInt16(truncatingIfNeeded: value >> 32).bigEndian, toByteOffset: offset, as: UInt16.self)
        storeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian, toByteOffset: offset + 2, as: UInt32.self)
    }

    /// Sets or clears a bit among the presence bits and flags of a record.
    func set(bit: Int, _ isSet: Bool) {
        let byte = self + RowLayout.bitsOffset + bit >> 3
        let mask = UInt8(1) << UInt8(bit & 7)
        let old = byte.load(as: UInt8.self)
        byte.storeBytes(of: isSet ? old | mask : old & ~mask, as: UInt8.self)
    }
}

extension UnsafeBufferPointer<JSONMember> {
    /// Returns the value of the member with this name, looked for at the expected index first; nil when there is none.
    func value(_ name: UnsafeRawBufferPointer, expectedAt expected: Int) -> JSONMember.Value? {
        if expected < count, name.equals(self[expected].name) { return self[expected].value }
        for member in self where name.equals(member.name) { return member.value }
        return nil
    }
}

extension JSONMember.Value {
    /// Returns the bits of a fixed field; nil when the value is of another type, or none of the choices.
    func bits(_ plan: ChangePlan) -> UInt64? {
        switch (plan.slot.storage, self) {
        case (.integer, .integer(let value)): UInt64(bitPattern: value)
        case (.number, .integer(let value)): Double(value).bitPattern
        case (.number, .number(let value)): value.bitPattern
        case (.flag, .boolean(let flag)): flag ? 1 : 0
        case (.date, .string(let text)): Instant(utf8: text).map { UInt64(bitPattern: $0.milliseconds) }
        case (.fraction, .string(let text)): text.fraction
        case (.choice, .string(let text)): plan.choices.firstIndex { $0.equals(text) }.map { UInt64($0) }
        case (_, .null), (_, .boolean), (_, .integer), (_, .number), (_, .string), (_, .object), (_, .array): nil
        }
    }
}

extension UnsafeRawBufferPointer {
    /// True when the bytes spell an ID.
    var isName: Bool {
        guard Identifier.length.contains(count) else { return false }
        for byte in self {
            // The alphabet as two words of bits: `-` `.` `0–9`, and `A–Z` `_` `a–z` `~`.
            let bits: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x47FF_FFFE_87FF_FFFE
            guard byte < 128, bits >> UInt64(byte & 63) & 1 == 1 else { return false }
        }
        return true
    }

    /// The bits of a fraction such as `1/125`, the numerator in the lower half; nil when it is not a fraction of two
    /// numbers above zero.
    var fraction: UInt64? {
        guard let slash = firstIndex(of: 0x2F),
            let numerator = UnsafeRawBufferPointer(rebasing: self[..<slash]).positive,
            let denominator = UnsafeRawBufferPointer(rebasing: self[(slash + 1)...]).positive
        else { return nil }
        return numerator | denominator << 32
    }

    /// The number that the bytes spell in digits alone, from 1 to 2^32 − 1; nil for all else.
    private var positive: UInt64? {
        guard count > 0 else { return nil }
        var value: UInt64 = 0
        for byte in self {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + UInt64(byte &- 0x30)
            guard value <= UInt32.max else { return nil }
        }
        return value > 0 ? value : nil
    }
}
