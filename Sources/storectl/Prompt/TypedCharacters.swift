import Glibc

/// A reader of the characters that a terminal sends, in UTF-8 whatever the locale of the process is.
///
/// Bytes that are no character are read as a mark, so that the line that they belong to can be refused.
struct TypedCharacters {
    /// Milliseconds that the next byte of a character may take.
    private static let bytePause: Int32 = 1_000

    /// True where every character can be handed on; otherwise only those of ASCII can.
    let takesUnicode: Bool
    /// A byte that was read, and is not part of the character before it.
    private var spare: UInt8?
    /// True once something was read that was no character, or cannot be handed on.
    private(set) var isSpoiled = false

    /// The mark for each part of the input that is no character, or cannot be handed on.
    var mark: Unicode.Scalar { takesUnicode ? "\u{FFFD}" : "?" }

    init(takesUnicode: Bool) { self.takesUnicode = takesUnicode }

    /// Forgets what the lines before were made of.
    mutating func beginLine() { isSpoiled = false }

    /// Reads the next character.
    ///
    /// - Parameters:
    ///   - isFirst: true for the first byte, which is waited for.
    ///   - next: returns the next byte; nil where there is none, or it does not come in time.
    /// - Returns: the character's number; nil at the end of the input.
    mutating func read(_ next: (_ isFirst: Bool) -> UInt8?) -> UInt32? {
        guard let first = spare ?? next(true) else { return nil }
        spare = nil
        guard first >= 0x80 else { return UInt32(first) }
        let count = TypedCharacters.length(first)
        var bytes = [first]
        while bytes.count < count, let byte = next(false) {
            guard byte & 0xC0 == 0x80 else {
                spare = byte
                break
            }
            bytes.append(byte)
        }
        guard takesUnicode, bytes.count == count, let text = String(validating: bytes, as: UTF8.self),
            let scalar = text.unicodeScalars.first, !(0x80...0x9F).contains(scalar.value)
        else {
            isSpoiled = true
            return mark.value
        }
        return scalar.value
    }

    /// Reads a byte of the terminal that is standard input.
    static func nextByte(isFirst: Bool) -> UInt8? {
        if !isFirst {
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, bytePause) > 0 else { return nil }
        }
        var byte: UInt8 = 0
        while true {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
        }
    }

    /// How many bytes a character has that begins with this one.
    private static func length(_ first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
