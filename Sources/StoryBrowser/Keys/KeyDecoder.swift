/// A decoder of a terminal's bytes into keys and pasted texts; either may be split among several reads.
///
/// A sequence of bytes that is no known key is passed over as a whole.
package struct KeyDecoder {
    /// The most bytes of a pasted text.
    package static let mostPasted = 1 << 20
    /// The output that makes a terminal mark pasted text (bracketed paste), and that ends it.
    package static let (marksPastes, endsMarks) = ("\u{1B}[?2004h", "\u{1B}[?2004l")

    /// The bytes that were read of a key so far.
    private enum State {
        case ground
        /// A part of a character in UTF-8, with Alt or without.
        case character([UInt8], hasAlt: Bool)
        /// Escape, once or twice.
        case escape(isTwice: Bool)
        /// A control sequence, which begins with `ESC [` or `ESC O`.
        case sequence(ControlSequence)
        /// Bytes whose number alone is known: a function key of the Linux console, or a report of the mouse.
        case counted(left: Int)
        /// A string of the terminal's own, such as the answer to a question: it ends with `ESC \` or a control byte.
        case string(isEscaped: Bool)
        case paste
    }

    private var state = State.ground
    /// The bytes of a pasted text so far, of a text that is too long the last ones.
    private var pasted: [UInt8] = []
    private var isPasteTooLong = false

    /// Creates a decoder.
    package init() {}

    /// True while the bytes so far may be the beginning of a key; call `flush` if nothing follows.
    package var isWaiting: Bool {
        switch state {
        // The end of a paste is marked, so its bytes may come with any delay.
        case .ground, .paste: false
        case .character, .escape, .sequence, .counted, .string: true
        }
    }

    /// Returns the keys that end within the bytes.
    package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { consume(byte, &keys) }
        return keys
    }

    /// Ends a wait for more bytes: Escape bytes alone are that key, and any other beginning is dropped.
    package mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        defer { state = .ground }
        guard case .escape(let isTwice) = state else { return [] }
        return isTwice ? [.escape, .escape] : [.escape]
    }

    private mutating func consume(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: begin(byte, &keys)
        case .character(let bytes, let hasAlt): complete(bytes + [byte], hasAlt: hasAlt, &keys)
        case .escape(let isTwice): consumeEscaped(byte, isTwice: isTwice, &keys)
        case .sequence(let sequence): consume(byte, of: sequence, &keys)
        case .counted(let left): state = left > 1 ? .counted(left: left - 1) : .ground
        case .string(let isEscaped): consumeOfString(byte, isEscaped: isEscaped, &keys)
        case .paste: consumePasted(byte, &keys)
        }
    }

    /// Decodes the first byte of a key.
    private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
        state = .ground
        switch byte {
        case 0x1B: state = .escape(isTwice: false)
        case 0x0D: keys.append(.enter)
        case 0x09: keys.append(.tab)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x00: break
        case ..<0x1B: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
        case ..<0x20: break
        default: complete([byte], hasAlt: false, &keys)
        }
    }

    /// Decodes a character in UTF-8 if it is complete.
    private mutating func complete(_ bytes: [UInt8], hasAlt: Bool, _ keys: inout [Key]) {
        state = .ground
        let length: Int
        switch bytes[0] {
        case ..<0x80: length = 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return keys.append(.unreadable)
        }
        guard bytes.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return keys.append(.unreadable) }
        guard bytes.count == length else { return state = .character(bytes, hasAlt: hasAlt) }
        guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
            return keys.append(.unreadable)
        }
        keys.append(hasAlt ? .alt(character) : .character(character))
    }

    /// Decodes the byte after Escape: the beginning of a sequence, or a key with Alt.
    private mutating func consumeEscaped(_ byte: UInt8, isTwice: Bool, _ keys: inout [Key]) {
        switch byte {
        case 0x1B:
            if isTwice { keys.append(.escape) }
            return state = .escape(isTwice: true)
        // Some terminals send Escape before the sequence of a key with Alt.
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            return state = .sequence(ControlSequence(isShort: byte == UInt8(ascii: "O")))
        default: break
        }
        if isTwice {
            keys += [.escape, .escape]
            return begin(byte, &keys)
        }
        switch byte {
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(isEscaped: false)
        case 0x03: begin(byte, &keys)
        case ..<0x20, 0x7F: state = .ground
        default: complete([byte], hasAlt: true, &keys)
        }
    }

    private mutating func consume(_ byte: UInt8, of sequence: ControlSequence, _ keys: inout [Key]) {
        var sequence = sequence
        switch sequence.add(byte) {
        case .more: state = .sequence(sequence)
        case .counted(let count): state = .counted(left: count)
        case .broken: begin(byte, &keys)
        case .paste:
            (pasted, isPasteTooLong) = ([], false)
            state = .paste
        case .key(let key):
            state = .ground
            if let key { keys.append(key) }
        }
    }

    private mutating func consumeOfString(_ byte: UInt8, isEscaped: Bool, _ keys: inout [Key]) {
        switch byte {
        case 0x1B: state = .string(isEscaped: true)
        case UInt8(ascii: "\\") where isEscaped: state = .ground
        case 0x07: state = .ground
        case _ where isEscaped: consumeEscaped(byte, isTwice: false, &keys)
        case ..<0x20: begin(byte, &keys)
        default: break
        }
    }

    // MARK: Pastes

    private static let endOfPaste = Array("\u{1B}[201~".utf8)

    private mutating func consumePasted(_ byte: UInt8, _ keys: inout [Key]) {
        pasted.append(byte)
        let end = KeyDecoder.endOfPaste
        if byte == end.last, pasted.suffix(end.count).elementsEqual(end) {
            keys.append(.pasted(isPasteTooLong ? nil : KeyDecoder.text(pasted.dropLast(end.count))))
            pasted = []
            state = .ground
        } else if pasted.count >= KeyDecoder.mostPasted + end.count {
            isPasteTooLong = true
            pasted.removeFirst(pasted.count - end.count)
        }
    }

    /// Returns pasted bytes as text: terminals send CR for a line's end.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var last: UInt8 = 0
        for byte in bytes {
            if byte != 0x0A || last != 0x0D { text.append(byte == 0x0D ? 0x0A : byte) }
            last = byte
        }
        return String(validating: text, as: UTF8.self)
    }
}
