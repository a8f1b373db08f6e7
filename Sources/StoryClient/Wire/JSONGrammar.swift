/// The grammar of RFC 8259: it checks that bytes are one JSON value and finds the members of an object, and builds
/// nothing from them.
struct JSONGrammar {
    /// A member of an object: the bytes of its name, without the quotes, and of its value.
    typealias Member = (name: Range<Int>, value: Range<Int>)

    /// The maximum depth of nesting; a store accepts less.
    private static let deepest = 512

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns true if the text is one JSON value with nothing but white space around it.
    static func matches(_ text: String) -> Bool {
        var grammar = JSONGrammar(Array(text.utf8))
        return grammar.takeValue() && grammar.index == grammar.bytes.count
    }

    /// Returns the members of an object with nothing but white space around it, in their order; nil where there is
    /// none.
    static func members(of json: [UInt8]) -> [Member]? {
        var grammar = JSONGrammar(json)
        var members: [Member] = []
        grammar.skipSpace()
        guard grammar.next == UInt8(ascii: "{") else { return nil }
        let isWhole = grammar.takeGroup(until: UInt8(ascii: "}")) { grammar in
            guard let member = grammar.takeMember() else { return false }
            members.append(member)
            return true
        }
        grammar.skipSpace()
        return isWhole && grammar.index == json.count ? members : nil
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Takes a value and the white space around it.
    private mutating func takeValue() -> Bool {
        skipSpace()
        guard takeBareValue() else { return false }
        skipSpace()
        return true
    }

    private mutating func takeBareValue() -> Bool {
        switch next {
        case UInt8(ascii: "\""): takeString()
        case UInt8(ascii: "{"): takeGroup(until: UInt8(ascii: "}")) { $0.takeMember() != nil }
        case UInt8(ascii: "["): takeGroup(until: UInt8(ascii: "]")) { $0.takeValue() }
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

    /// Takes a name, its value and the white space around them; nil where there is none.
    private mutating func takeMember() -> Member? {
        skipSpace()
        let start = index + 1
        guard next == UInt8(ascii: "\""), takeString() else { return nil }
        let name = start..<index - 1
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        let first = index
        guard takeBareValue() else { return nil }
        let value = first..<index
        skipSpace()
        return (name, value)
    }

    private mutating func takeString() -> Bool {
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            guard byte >= 0x20, byte != UInt8(ascii: "\\") || takeEscape() else { return false }
        }
        return false
    }

    private mutating func takeEscape() -> Bool {
        guard let byte = next else { return false }
        index += 1
        guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
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
        while let byte = next, byte <= 0x20, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            index += 1
        }
    }
}

/// The members of a JSON object, with the bytes of their values as they are.
package struct JSONMembers {
    private let bytes: [UInt8]
    private let members: [JSONGrammar.Member]

    /// Finds the members; nil when this is not an object.
    package init?(_ json: [UInt8]) {
        guard let members = JSONGrammar.members(of: json) else { return nil }
        (bytes, self.members) = (json, members)
    }

    /// The name of the first member; empty where there is none.
    package var first: String { members.first.map { String(decoding: bytes[$0.name], as: UTF8.self) } ?? "" }

    /// The bytes of a value, the last one where the name is there twice; nil where there is none.
    package subscript(name: String) -> ArraySlice<UInt8>? {
        // An object has few members, so that looking at each costs less than a table of them.
        members.last { $0.name.count == name.utf8.count && bytes[$0.name].elementsEqual(name.utf8) }
            .map { bytes[$0.value] }
    }

    /// Returns a member that is a whole number without a sign; nil where there is none.
    package func number(_ name: String) -> UInt64? {
        self[name].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns a member that is a string; nil where there is none.
    package func text(_ name: String) -> String? {
        guard let value = self[name], value.first == UInt8(ascii: "\"") else { return nil }
        guard value.contains(UInt8(ascii: "\\")) else {
            return String(decoding: value.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? StoreDecoder.decode(String.self, Array(value))
    }

    /// Returns a member that is a list of strings, empty where there is none; nil for other values.
    func texts(_ name: String) -> [String]? {
        guard let value = self[name], !value.elementsEqual("[]".utf8) else { return [] }
        return try? StoreDecoder.decode([String].self, Array(value))
    }

    /// Returns a member as JSON; nil where there is none.
    func json(_ name: String) -> JSONText? {
        self[name].map { JSONText(trusted: String(decoding: $0, as: UTF8.self)) }
    }
}
