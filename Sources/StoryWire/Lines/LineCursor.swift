import CSimdJSON
import StoryCore

/// A part of a line: its text without quotes and escapes, and its index in the line.
struct LinePart {
    let text: UnsafeRawBufferPointer
    let index: Int
}

/// The meaning of the name of a `name=value` part.
enum OptionKey: BitwiseCopyable {
    case option(OptionName)
    /// A filter of the target's kind, by its index in the schema.
    case filter(Int)
}

/// A `name=value` part.
struct OptionPart: BitwiseCopyable {
    let key: OptionKey
    let value: UnsafeRawBufferPointer
}

/// A cursor that moves over a line from left to right.
struct LineCursor {
    let line: UnsafeRawBufferPointer
    private(set) var index = 0

    init(_ line: UnsafeRawBufferPointer) { self.line = line }

    var isAtEnd: Bool { index == line.count }

    /// True at the start of a JSON object or array.
    var isAtBody: Bool { index < line.count && (line[index] == 0x7B || line[index] == 0x5B) }

    var isAtQuote: Bool { index < line.count && line[index] == 0x22 }

    mutating func skipSpaces() {
        var end = index
        while end < line.count, line[end] == 0x20 { end += 1 }
        index = end
    }

    /// Takes the bytes up to the next space.
    mutating func takeWord() -> LinePart {
        let start = index
        let rest = line.part(start..<line.count)
        let count = rest.first(0x20) ?? rest.count
        index = start + count
        return LinePart(text: rest.part(0..<count), index: start)
    }

    /// Takes `name=` and returns the name; takes nothing and returns nil if none begins here.
    mutating func takeOptionName() -> LinePart? {
        let start = index
        let rest = line.part(start..<line.count)
        var count = csj_letters(rest.baseAddress, rest.count)
        // Fields of declared models may have digits and `_` behind the first letter.
        if count > 0 { while count < rest.count, rest[count].isInFieldName { count += 1 } }
        guard count > 0, count < rest.count, rest[count] == 0x3D else { return nil }
        index = start + count + 1
        return LinePart(text: rest.part(0..<count), index: start)
    }

    /// Takes a JSON string with its quotes; a space or the line's end must follow.
    mutating func takeQuoted() throws(Failure) -> LinePart {
        let start = index
        var end = index + 1
        while end < line.count, line[end] != 0x22 { end += line[end] == 0x5C ? 2 : 1 }
        guard end < line.count else { throw Refusals.syntax("a string has no end", at: line.count) }
        guard end + 1 == line.count || line[end + 1] == 0x20 else {
            throw Refusals.syntax("a space must follow a string", at: end + 1)
        }
        index = end + 1
        return LinePart(text: line.part(start..<index), index: start)
    }

    /// Takes a JSON object or array up to its closing bracket; a space or the line's end must follow.
    mutating func takeNested() throws(Failure) -> LinePart {
        let start = index
        var (end, depth) = (index, 0)
        repeat {
            guard end < line.count else { throw nested(from: start, to: line.count) }
            switch line[end] {
            case 0x22:
                end += 1
                while end < line.count, line[end] != 0x22 { end += line[end] == 0x5C ? 2 : 1 }
            case 0x7B, 0x5B: depth += 1
            case 0x7D, 0x5D: depth -= 1
            default: break
            }
            end += 1
        } while depth > 0
        guard end >= line.count || line[end] == 0x20 else { throw nested(from: start, to: end) }
        index = min(end, line.count)
        return LinePart(text: line.part(start..<index), index: start)
    }

    /// Returns the failure of a part of the line that should be a JSON object or array, or of the text after it.
    private func nested(from start: Int, to end: Int) -> Failure {
        guard let stop = JSONStop.offset(in: line.part(start..<end)) else {
            return Refusals.syntax("a space must follow a JSON value", at: end)
        }
        let isOver = start + stop == line.count
        return Refusals.syntax(isOver ? "the JSON ends too early" : "no JSON begins here", at: start + stop)
    }

    /// Takes `@tag`; nil if there is none. The cursor stays before a wrong tag.
    mutating func takeTag() throws(Failure) -> Tag? {
        guard index < line.count, line[index] == 0x40 else { return nil }
        var word = self
        let part = word.takeWord()
        let name = part.text.part(1..<part.text.count)
        guard name.spellsName(Tag.length) else {
            throw Refusals.syntax("a tag is @ and 1–32 bytes of A–Z a–z 0–9 . _ ~ -", at: part.index)
        }
        self = word
        return Tag(trusted: name)
    }
}

extension UInt8 {
    /// True for a letter, a digit or `_`.
    fileprivate var isInFieldName: Bool { (self | 0x20) &- 0x61 < 26 || self &- 0x30 < 10 || self == 0x5F }
}

/// The result of reading a text as a whole number in decimal digits.
enum DecimalNumber: Equatable {
    case value(UInt64)
    /// Digits only, but more than 64 bits.
    case tooGreat
    /// A minus sign, then digits.
    case negative
    case malformed

    init(_ text: UnsafeRawBufferPointer) {
        let isNegative = text.count > 0 && text[0] == 0x2D
        let digits = isNegative ? text.part(1..<text.count) : text
        guard digits.count > 0 else {
            self = .malformed
            return
        }
        var value: UInt64? = 0
        for byte in digits {
            guard byte &- 0x30 < 10 else {
                self = .malformed
                return
            }
            value = value.flatMap { DecimalNumber.extend($0, by: UInt64(byte &- 0x30)) }
        }
        guard !isNegative else {
            self = .negative
            return
        }
        self = value.map { .value($0) } ?? .tooGreat
    }

    private static func extend(_ value: UInt64, by digit: UInt64) -> UInt64? {
        let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, sumOverflow) = tens.addingReportingOverflow(digit)
        return tensOverflow || sumOverflow ? nil : sum
    }
}
