/// A validator of RFC 8259: it checks that bytes are one JSON value, and builds nothing from them.
struct JSONGrammar {
    /// The maximum depth of nesting; a store accepts less.
    private static let deepest = 512

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    /// Returns true if the text is one JSON value with nothing but white space around it.
    static func matches(_ text: String) -> Bool {
        var grammar = JSONGrammar(bytes: Array(text.utf8))
        return grammar.takeValue() && grammar.index == grammar.bytes.count
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Takes a value and the white space around it.
    private mutating func takeValue() -> Bool {
        skipSpace()
        defer { skipSpace() }
        return switch next {
        case UInt8(ascii: "{"): takeGroup(until: UInt8(ascii: "}")) { $0.takeMember() }
        case UInt8(ascii: "["): takeGroup(until: UInt8(ascii: "]")) { $0.takeValue() }
        case UInt8(ascii: "\""): takeString()
        case UInt8(ascii: "t"): takeWord("true")
        case UInt8(ascii: "f"): takeWord("false")
        case UInt8(ascii: "n"): takeWord("null")
        case _: takeNumber()
        }
    }

    /// Takes an opening bracket, parts with commas between them, and the closing bracket.
    private mutating func takeGroup(until end: UInt8, part: (inout JSONGrammar) -> Bool) -> Bool {
        index += 1
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if take(end) { return true }
        guard depth <= JSONGrammar.deepest else { return false }
        repeat {
            guard part(&self) else { return false }
        } while take(UInt8(ascii: ","))
        return take(end)
    }

    private mutating func takeMember() -> Bool {
        skipSpace()
        guard next == UInt8(ascii: "\""), takeString() else { return false }
        skipSpace()
        return take(UInt8(ascii: ":")) && takeValue()
    }

    private mutating func takeString() -> Bool {
        index += 1
        while let byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard byte >= 0x20, byte != UInt8(ascii: "\\") || takeEscape() else { return false }
        }
        return false
    }

    private mutating func takeEscape() -> Bool {
        guard let byte = next else { return false }
        index += 1
        guard byte == UInt8(ascii: "u") else { return Array("\"\\/bfnrt".utf8).contains(byte) }
        let digits = bytes[index...].prefix(4)
        index += digits.count
        return digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private mutating func takeNumber() -> Bool {
        _ = take(UInt8(ascii: "-"))
        guard take(UInt8(ascii: "0")) || takeDigits() else { return false }
        if take(UInt8(ascii: ".")), !takeDigits() { return false }
        guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return true }
        if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
        return takeDigits()
    }

    private mutating func takeDigits() -> Bool {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index > start
    }

    private mutating func takeWord(_ word: String) -> Bool {
        let isThere = bytes[index...].starts(with: word.utf8)
        if isThere { index += word.utf8.count }
        return isThere
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
    }
}
