import StoryCore

/// A row while an event is folded into it: one value a field, texts where they lie.
struct RowDraft: ~Copyable {
    /// The value of one field.
    struct Value {
        /// As `RowView.bits` has them.
        var bits: UInt64 = 0
        /// A name or a text.
        var bytes = UnsafeRawBufferPointer.none
        var isThere = false
    }

    private let values: UnsafeMutablePointer<Value>

    init() {
        values = .allocate(capacity: KindDeclaration.maxFieldCount)
        values.initialize(repeating: Value(), count: KindDeclaration.maxFieldCount)
    }

    deinit { values.deallocate() }

    /// Makes it a row that no event has said anything of: integers are 0, flags are false, all else is absent.
    func begin(_ layout: RowLayout) {
        for index in layout.slots.indices {
            values[index] = Value()
            switch layout.slots[index].storage {
            case .integer, .flag: values[index].isThere = layout.slots[index].presence < 0
            case .text, .name, .number, .date, .fraction, .choice: break
            }
        }
    }

    /// Makes it a row that is there.
    func begin(_ row: borrowing RowView) {
        for index in row.layout.slots.indices {
            let isThere = row.has(index)
            values[index] = Value(bits: row.bits(index), bytes: row.text(index), isThere: isThere)
        }
    }

    /// Does one step of an event; false when the event's data is not what the step wants.
    func apply(_ plan: ChangePlan, _ members: UnsafeBufferPointer<JSONMember>, at time: Instant) -> Bool {
        switch plan.step {
        case .set:
            guard let value = members.value(plan.member, expectedAt: plan.expected) else { return false }
            return set(plan, value)
        case .setIfGiven:
            guard let value = members.value(plan.member, expectedAt: plan.expected) else { return true }
            return set(plan, value)
        case .setOrTime:
            if let value = members.value(plan.member, expectedAt: plan.expected) { return set(plan, value) }
            setBits(plan.field, UInt64(bitPattern: time.milliseconds))
        case .setTime: setBits(plan.field, UInt64(bitPattern: time.milliseconds))
        case .add(let amount):
            let (sum, isOver) = Int64(bitPattern: values[plan.field].bits).addingReportingOverflow(amount)
            if !isOver { setBits(plan.field, UInt64(bitPattern: max(sum, 0))) }
        case .setFlag(let flag): setBits(plan.field, flag ? 1 : 0)
        }
        return true
    }

    private func set(_ plan: ChangePlan, _ value: JSONMember.Value) -> Bool {
        switch plan.storage {
        case .text:
            guard case .string(let text) = value else { return false }
            values[plan.field] = Value(bytes: text, isThere: true)
            return true
        case .name:
            guard case .string(let text) = value, text.isName else { return false }
            values[plan.field] = Value(bytes: text, isThere: true)
            return true
        case .integer, .number, .date, .flag, .fraction, .choice:
            guard let bits = value.bits(plan) else { return false }
            setBits(plan.field, bits)
            return true
        }
    }

    private func setBits(_ field: Int, _ bits: UInt64) { values[field] = Value(bits: bits, isThere: true) }
}

extension RowDraft {
    /// Writes the row as it is stored.
    func write(_ layout: RowLayout, _ event: FoldedEvent, to memory: inout KeyBuffer) {
        var count = layout.headCount + event.id.count
        for index in layout.slots.indices { count += values[index].bytes.count }
        let start = memory.makeRoom(count)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: layout.headCount)
        start.store48(event.number, RowLayout.numberOffset)
        start.store48(event.version.value, RowLayout.versionOffset)
        start.store48(event.position.value, RowLayout.positionOffset)
        start.storeBytes(of: UInt8(truncatingIfNeeded: event.id.count), toByteOffset: layout.idOffset, as: UInt8.self)
        var end = start.copy(event.id, at: layout.headCount)
        for index in layout.slots.indices {
            guard case .name = layout.slots[index].storage else { continue }
            end = writeName(values[index], layout.slots[index], to: start, at: end)
        }
        for index in layout.slots.indices {
            if case .name = layout.slots[index].storage { continue }
            end = writeOther(values[index], layout.slots[index], to: start, at: end)
        }
    }

    private func writeName(
        _ value: Value, _ slot: RowLayout.Slot, to start: UnsafeMutableRawPointer, at end: Int
    ) -> Int {
        start.storeBytes(
            of: UInt8(truncatingIfNeeded: value.bytes.count), toByteOffset: slot.offset, as: UInt8.self)
        if value.isThere, slot.presence >= 0 { start.setBit(slot.presence) }
        return start.copy(value.bytes, at: end)
    }

    private func writeOther(
        _ value: Value, _ slot: RowLayout.Slot, to start: UnsafeMutableRawPointer, at end: Int
    ) -> Int {
        if value.isThere, slot.presence >= 0 { start.setBit(slot.presence) }
        switch slot.storage {
        case .text:
            let count = UInt32(truncatingIfNeeded: value.bytes.count).littleEndian
            start.storeBytes(of: count, toByteOffset: slot.offset, as: UInt32.self)
            return start.copy(value.bytes, at: end)
        case .integer, .number, .date, .fraction:
            start.storeBytes(of: value.bits.littleEndian, toByteOffset: slot.offset, as: UInt64.self)
        case .choice:
            start.storeBytes(of: UInt8(truncatingIfNeeded: value.bits), toByteOffset: slot.offset, as: UInt8.self)
        case .flag: if value.bits == 1 { start.setBit(slot.flag) }
        case .name: break
        }
        return end
    }
}

extension UnsafeMutableRawPointer {
    /// Stores the lower six bytes of a number, the highest first; the two bytes behind them are written later.
    fileprivate func store48(_ value: UInt64, _ offset: Int) {
        storeBytes(of: UInt16(truncatingIfNeeded: value >> 32).bigEndian, toByteOffset: offset, as: UInt16.self)
        storeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian, toByteOffset: offset + 2, as: UInt32.self)
    }

    fileprivate func setBit(_ bit: Int) {
        let byte = self + RowLayout.bitsOffset + bit >> 3
        byte.storeBytes(of: byte.load(as: UInt8.self) | 1 << UInt8(bit & 7), as: UInt8.self)
    }

    /// Copies bytes to an offset; returns the offset behind them.
    fileprivate func copy(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        if let source = bytes.baseAddress { (self + offset).copyMemory(from: source, byteCount: bytes.count) }
        return offset + bytes.count
    }
}
