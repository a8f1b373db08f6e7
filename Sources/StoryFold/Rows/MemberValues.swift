import StoryCore

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
