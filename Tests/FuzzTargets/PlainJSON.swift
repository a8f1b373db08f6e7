/// A JSON value, read the slow and obvious way: RFC 8259, no member twice, within the shim's limits.
struct PlainJSON {
    enum Kind: Equatable {
        case null, boolean(Bool)
        /// Whole, and within 64 bits with sign.
        case integer(Int64)
        case number(Double)
        case string([UInt8])
        case object, array
    }

    static let maxDepth = 64
    static let maxCount = 10_000

    let kind: Kind
    /// Where it lies in the text.
    let range: Range<Int>
    /// The members of an object; the elements of an array, whose names are empty.
    let members: [(name: [UInt8], value: PlainJSON)]

    /// Nil where the text is not one whole value, or passes a limit.
    init?(_ text: [UInt8]) {
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        var reader = PlainReader(text: text)
        reader.skipSpaces()
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpaces()
        // An array is listed only where it is the whole text.
        guard reader.isAtEnd, value.members.count <= PlainJSON.maxCount else { return nil }
        self = value
    }

    fileprivate init(_ kind: Kind, _ range: Range<Int>, _ members: [(name: [UInt8], value: PlainJSON)] = []) {
        self.kind = kind
        self.range = range
        self.members = members
    }
}

/// Goes over a text from its beginning to its end.
private struct PlainReader {
    let text: [UInt8]
    private var index = 0

    init(text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { index == text.count }
    private var next: UInt8? { index < text.count ? text[index] : nil }

    mutating func skipSpaces() { while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 } }

    mutating func value(depth: Int) -> PlainJSON? {
        let start = index
        switch next {
        case 0x6E: return word("null") ? PlainJSON(.null, start..<index) : nil
        case 0x74: return word("true") ? PlainJSON(.boolean(true), start..<index) : nil
        case 0x66: return word("false") ? PlainJSON(.boolean(false), start..<index) : nil
        case 0x22: return string().map { PlainJSON(.string($0), start..<index) }
        case 0x7B: return object(depth + 1)
        case 0x5B: return array(depth + 1)
        default: return number()
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func word(_ word: String) -> Bool { word.utf8.allSatisfy { take($0) } }

    private mutating func object(_ depth: Int) -> PlainJSON? {
        let start = index
        guard depth <= PlainJSON.maxDepth, take(0x7B) else { return nil }
        var (members, names) = ([(name: [UInt8], value: PlainJSON)](), Set<[UInt8]>())
        skipSpaces()
        if take(0x7D) { return PlainJSON(.object, start..<index) }
        repeat {
            skipSpaces()
            guard let name = string(), names.insert(name).inserted, members.count < PlainJSON.maxCount else {
                return nil
            }
            skipSpaces()
            guard take(0x3A), let value = element(depth) else { return nil }
            members.append((name, value))
        } while take(0x2C)
        return take(0x7D) ? PlainJSON(.object, start..<index, members) : nil
    }

    private mutating func array(_ depth: Int) -> PlainJSON? {
        let start = index
        guard depth <= PlainJSON.maxDepth, take(0x5B) else { return nil }
        var members: [(name: [UInt8], value: PlainJSON)] = []
        skipSpaces()
        if take(0x5D) { return PlainJSON(.array, start..<index) }
        repeat {
            guard let value = element(depth) else { return nil }
            members.append(([], value))
        } while take(0x2C)
        return take(0x5D) ? PlainJSON(.array, start..<index, members) : nil
    }

    private mutating func element(_ depth: Int) -> PlainJSON? {
        skipSpaces()
        let value = value(depth: depth)
        skipSpaces()
        return value
    }

    // MARK: Strings

    private mutating func string() -> [UInt8]? {
        guard take(0x22) else { return nil }
        var characters: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case 0x22: return characters
            case 0x00..<0x20: return nil
            case 0x5C:
                guard let scalar = escape() else { return nil }
                characters += Array(String(Character(scalar)).utf8)
            default: characters.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        index += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: return Unicode.Scalar(byte)
        case 0x62: return "\u{8}"
        case 0x66: return "\u{C}"
        case 0x6E: return "\n"
        case 0x72: return "\r"
        case 0x74: return "\t"
        case 0x75:
            guard let unit = hexadecimal() else { return nil }
            guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
            guard take(0x5C), take(0x75), let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        default: return nil
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard index + 4 <= text.count else { return nil }
        let digits = text[index..<index + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }) else { return nil }
        index += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    // MARK: Numbers

    private mutating func number() -> PlainJSON? {
        let start = index
        _ = take(0x2D)
        guard let first = digits() else { return nil }
        guard first != 0x30 || text[index - 1] == 0x30 && digitCount == 1 else { return nil }
        var isWhole = true
        if take(0x2E) {
            guard digits() != nil else { return nil }
            isWhole = false
        }
        if take(0x65) || take(0x45) {
            if !take(0x2B) { _ = take(0x2D) }
            guard digits() != nil else { return nil }
            isWhole = false
        }
        return number(String(decoding: text[start..<index], as: UTF8.self), isWhole).map {
            PlainJSON($0, start..<index)
        }
    }

    private func number(_ spelled: String, _ isWhole: Bool) -> PlainJSON.Kind? {
        if isWhole {
            if let integer = Int64(spelled) { return .integer(integer) }
            return UInt64(spelled).map { .number(Double($0)) }
        }
        guard let number = Double(spelled), number.isFinite else { return nil }
        return .number(number)
    }

    /// How many digits were taken last.
    private var digitCount = 0

    /// Takes one digit or more; answers the first.
    private mutating func digits() -> UInt8? {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        digitCount = index - start
        return digitCount > 0 ? text[start] : nil
    }
}
