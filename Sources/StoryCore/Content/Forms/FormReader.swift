/// Reads the fields of one form and collects every error.
///
/// A `null` counts as absent. Each read returns nil when the field is absent or wrong; a wrong field is added to
/// `errors`.
package struct FormReader<FieldID: FormFieldID> {
    private(set) var errors = FormErrors<FieldID>()
    /// The ID that the client chose for new content; nil where it chose none.
    private(set) var givenID: Identifier?
    /// The fields that were read so far, where the form describes itself; nil where it is filled in.
    private(set) var described: [FormFieldSchema]?
    private let fields: FormFields

    init(_ fields: FormFields) {
        self.fields = fields
        for field in fields where !FieldID.allCases.contains(where: { field.name.equals(text: $0.rawValue) }) {
            guard errors.entries.count < Failure.mostFields else { break }
            let name = String(decoding: field.name, as: UTF8.self)
            let known = FieldID.allCases.map(\.rawValue).joined(separator: ", ")
            errors.add(name, .unknownField, "there is no such field; the form has \(known)")
        }
    }

    /// Creates the reader of a form without fields, which notes the fields that the form reads.
    init() { (fields, described) = ([], []) }

    /// Notes a field that is read, where the form describes itself.
    mutating func note(_ field: FieldID, _ type: @autoclosure () -> FormFieldType) {
        guard described != nil else { return }
        described?.append(FormFieldSchema(name: field.rawValue, type: type()))
    }

    private mutating func noteRequired(_ field: FieldID) {
        guard let index = described?.firstIndex(where: { $0.name == field.rawValue }) else { return }
        described?[index].isRequired = true
    }

    /// Adds an error of a field; returns nil, for the value that it does not have.
    mutating func refused<Value>(_ field: FieldID, _ rule: FieldRule, _ message: String) -> Value? {
        errors.add(field.rawValue, rule, message)
        return nil
    }

    /// Returns the value of a field; nil where it is absent or `null`.
    func value(_ field: FieldID) -> JSONMember.Value? {
        var name = field.rawValue
        let found = name.withUTF8 { name in fields.first { $0.name.equals(UnsafeRawBufferPointer(name)) } }
        guard let found else { return nil }
        if case .null = found.value { return nil }
        return found.value
    }

    /// Adds an error when a required field is absent; returns `value` unchanged.
    mutating func required<Value>(_ field: FieldID, _ value: Value?, _ rule: FieldRule = .missing) -> Value? {
        guard value == nil, self.value(field) == nil else { return value }
        noteRequired(field)
        return refused(field, rule, "\(field.rawValue) is required")
    }

    /// Reads a name or a title: one line of 1 … `limit` characters.
    mutating func line(_ field: FieldID, limit: Int) -> Text? {
        note(field, .line(limit: limit))
        return text(field, limit, .line, "must be one line, without control characters")
    }

    /// Reads a longer text: 1 … `limit` characters, among them line ends and tabs.
    mutating func text(_ field: FieldID, limit: Int) -> Text? {
        note(field, .text(limit: limit))
        return text(field, limit, .lines, "must have no control character but line ends and tabs")
    }

    private mutating func text(
        _ field: FieldID, _ limit: Int, _ shape: TextShape, _ meaning: String
    ) -> Text? {
        guard let bytes = string(field) else { return nil }
        guard !TextShape.isBlank(bytes) else { return refused(field, .empty, "must not be empty") }
        let text = Text(ByteView(borrowing: bytes))
        guard !text.exceeds(limit) else { return refused(field, .tooLong, "must have at most \(limit) characters") }
        guard shape.fits(bytes) else { return refused(field, .malformed, meaning) }
        return text
    }

    /// Reads the ID of new content, which is the client's choice.
    mutating func takeGivenID(_ field: FieldID) {
        note(field, .newID)
        givenID = identifier(field)
    }

    /// Reads an ID, which need not be in use.
    private mutating func identifier(_ field: FieldID) -> Identifier? {
        guard let bytes = string(field) else { return nil }
        guard !bytes.isEmpty else { return refused(field, .empty, "must not be empty") }
        guard bytes.count <= Identifier.length.upperBound else {
            return refused(field, .tooLong, "an ID has at most \(Identifier.length.upperBound) bytes")
        }
        guard Alphabet.spells(bytes, within: Identifier.length) else {
            return refused(field, .malformed, "an ID is made of A–Z a–z 0–9 . _ ~ -")
        }
        return Identifier(trusted: ByteView(borrowing: bytes))
    }

    /// Reads the ID of content that exists.
    mutating func identifier(_ field: FieldID, of kind: Kind, in directory: any Directory) -> Identifier? {
        note(field, .reference(kind))
        guard let id = identifier(field) else { return nil }
        guard directory.has(kind, id) else {
            return refused(field, .noSuch, "there is no \(directory.category(of: kind)) \(id)")
        }
        return id
    }

    /// Reads an RFC 3339 date.
    mutating func date(_ field: FieldID) -> Instant? {
        note(field, .date)
        guard let bytes = string(field) else { return nil }
        switch Instant.read(utf8: bytes) {
        case .instant(let date): return date
        case .outOfRange: return refused(field, .outOfRange, "must be \(Instant.calendar)")
        case .malformed:
            return refused(field, .malformed, "must be an RFC 3339 date such as 2026-11-20T12:34:56.789Z")
        }
    }

    /// Reads one number of a list that is a range within ±2^53.
    mutating func selection(_ field: FieldID, of range: ClosedRange<Int64>) -> Int64? {
        note(field, .selection(range))
        guard let number = number(field) else { return nil }
        // `Int64(exactly:)` is avoided: unoptimised it calls the C math library, which is not linked here.
        let isWithin = number >= Double(range.lowerBound) && number <= Double(range.upperBound)
        guard isWithin, Double(Int64(number)) == number else {
            return refused(
                field, .outOfRange, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int64(number)
    }

    /// Reads a number within a limit.
    mutating func number(_ field: FieldID, _ limit: NumberLimit) -> Double? {
        note(field, .number(limit))
        guard let number = number(field) else { return nil }
        guard limit.holds(number) else { return refused(field, .outOfRange, "must be \(limit.meaning)") }
        return number
    }

    /// Reads one name out of a set.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ field: FieldID) -> Choice? {
        note(field, .choice(Choice.allCases.map(\.rawValue)))
        guard let bytes = string(field) else { return nil }
        guard let choice = Choice.allCases.first(where: { bytes.equals(text: $0.rawValue) }) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            return refused(field, .notSelected, "must be one of \(names)")
        }
        return choice
    }

    /// Reads a string.
    mutating func string(_ field: FieldID) -> UnsafeRawBufferPointer? {
        switch value(field) {
        case nil: return nil
        case .string(let bytes)?: return bytes
        case .null?, .boolean?, .integer?, .number?, .object?, .array?:
            return refused(field, .wrongType, "must be a string")
        }
    }

    private mutating func number(_ field: FieldID) -> Double? {
        switch value(field) {
        case nil: return nil
        case .integer(let value)?: return Double(value)
        case .number(let value)?: return value
        case .null?, .boolean?, .string?, .object?, .array?:
            return refused(field, .wrongType, "must be a number")
        }
    }
}

/// The control characters that a text may contain.
enum TextShape {
    /// None, for text of one line.
    case line
    /// Tabs, line feeds and carriage returns.
    case lines

    /// Returns true when well-formed UTF-8 has no other control characters (U+0000–001F, U+007F–009F); in one line
    /// there is no line or paragraph separator (U+2028, U+2029) either.
    func fits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count, TextShape.isPlain(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            {
                index += 8
                continue
            }
            guard fits(bytes, at: index) else { return false }
            index += 1
        }
        return true
    }

    private func fits(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
        switch bytes[index] {
        case 0x09, 0x0A, 0x0D: self == .lines
        case 0x00..<0x20, 0x7F: false
        // U+0080–009F are C2 80–9F, U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        case 0xC2: TextShape.byte(bytes, index + 1) >= 0xA0
        case 0xE2: self == .lines || !TextShape.isSeparator(bytes, index)
        default: true
        }
    }

    /// Returns true when all eight bytes are printable ASCII: none has its highest bit, is below 0x20, or is 0x7F.
    private static func isPlain(_ word: UInt64) -> Bool {
        // Without the highest bits, neither sum carries from one byte into the next.
        let lower = word & 0x7F7F_7F7F_7F7F_7F7F
        let isDelete = lower + 0x0101_0101_0101_0101
        let isPrintable = lower + 0x6060_6060_6060_6060
        return (word | isDelete | ~isPrintable) & 0x8080_8080_8080_8080 == 0
    }

    /// Returns true when well-formed UTF-8 is only white space, as Unicode defines it. A line may have a million such
    /// bytes, so each one is read once.
    static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x09...0x0D, 0x20: index += 1
            case let byte where byte >= 0x80:
                let length = spaceLength(bytes, index)
                guard length > 0 else { return false }
                index += length
            default: return false
            }
        }
        return true
    }

    /// Returns the number of bytes of the non-ASCII white space at an index; 0 where there is none.
    private static func spaceLength(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Int {
        let (second, third) = (byte(bytes, index + 1), byte(bytes, index + 2))
        switch (bytes[index], second, third) {
        // U+0085 and U+00A0.
        case (0xC2, 0x85, _), (0xC2, 0xA0, _): return 2
        // U+1680; U+2000–200A, 2028, 2029, 202F and 205F; U+3000.
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
            (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
            return 3
        default: return 0
        }
    }

    private static func isSeparator(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        byte(bytes, index + 1) == 0x80 && 0xA8...0xA9 ~= byte(bytes, index + 2)
    }

    /// Returns the byte at an index; past the end a byte that is in no character.
    private static func byte(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt8 {
        index < bytes.count ? bytes[index] : 0xFF
    }
}
