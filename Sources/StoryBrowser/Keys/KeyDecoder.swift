/// A decoder of a terminal's bytes into keys; a key may be split among several reads.
package struct KeyDecoder {
    /// The longest key in bytes; longer sequences are dropped.
    private static let longest = 16

    private var waiting: [UInt8] = []

    /// Creates a decoder.
    package init() {}

    /// True while the bytes so far may be the beginning of a key; call `flush` if nothing follows.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Returns the keys that end within the bytes.
    package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            waiting.append(byte)
            take(into: &keys)
        }
        return keys
    }

    /// Ends a wait for more bytes: a single Escape byte is that key, and any other beginning is dropped.
    package mutating func flush() -> [Key] {
        defer { waiting = [] }
        return waiting == [0x1B] ? [.escape] : []
    }

    private mutating func take(into keys: inout [Key]) {
        switch KeyDecoder.read(waiting) {
        case .key(let key):
            keys.append(key)
            waiting = []
        case .more where waiting.count < KeyDecoder.longest: break
        case .escapeBefore(let byte):
            keys.append(.escape)
            waiting = [byte]
            if byte != 0x1B { take(into: &keys) }
        case .more, .none: waiting = []
        }
    }

    /// The result of decoding the bytes so far.
    private enum Reading {
        case key(Key)
        /// The Escape key, followed by the first byte of another key.
        case escapeBefore(UInt8)
        case more
        case none
    }

    private static func read(_ bytes: [UInt8]) -> Reading {
        guard let first = bytes.first else { return .none }
        switch first {
        case 0x1B: return sequence(bytes.dropFirst())
        case 0x0D: return .key(.enter)
        case 0x09: return .key(.tab)
        case 0x08, 0x7F: return .key(.backspace)
        case 0x00: return .none
        case ..<0x1B: return .key(.control(Character(Unicode.Scalar(first + 0x60))))
        case ..<0x20: return .none
        default: return text(bytes, first)
        }
    }

    /// Decodes a UTF-8 character.
    private static func text(_ bytes: [UInt8], _ first: UInt8) -> Reading {
        let length: Int
        switch first {
        case ..<0x80: length = 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return .key(.unreadable)
        }
        guard bytes.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return .key(.unreadable) }
        guard bytes.count == length else { return .more }
        guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
            return .key(.unreadable)
        }
        return .key(.character(character))
    }

    /// Decodes the bytes after an Escape byte: `[` or `O`, parameters, and a letter or `~`.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard let kind = bytes.first else { return .more }
        guard kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return .escapeBefore(kind) }
        guard let last = bytes.dropFirst().last else { return .more }
        guard (0x40...0x7E).contains(last) else { return .more }
        let parameters = bytes.dropFirst().dropLast()
        switch last {
        case UInt8(ascii: "A"): return .key(.up)
        case UInt8(ascii: "B"): return .key(.down)
        case UInt8(ascii: "C"): return .key(.right)
        case UInt8(ascii: "D"): return .key(.left)
        case UInt8(ascii: "H"): return .key(.home)
        case UInt8(ascii: "F"): return .key(.end)
        case UInt8(ascii: "Z"): return .key(.backTab)
        case UInt8(ascii: "~"): return numbered(parameters)
        default: return .none
        }
    }

    private static func numbered(_ parameters: ArraySlice<UInt8>) -> Reading {
        switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": .key(.home)
        case "3": .key(.delete)
        case "4", "8": .key(.end)
        case "5": .key(.pageUp)
        case "6": .key(.pageDown)
        default: .none
        }
    }
}
