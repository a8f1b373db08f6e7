/// A key that a person pressed, or a text that was pasted.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, escape, backspace, delete, tab, backTab
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter with Ctrl, as the small letter.
    case control(Character)
    /// A character with Alt.
    case alt(Character)
    /// A pasted text, whose line ends are LF; nil for one that is not UTF-8, or longer than `KeyDecoder.mostPasted`.
    case pasted(String?)
    /// Bytes that are no text in UTF-8.
    case unreadable
}

/// A control sequence of a terminal while it is read: parameters behind `ESC [` or `ESC O`, and a last byte.
struct ControlSequence {
    /// The most bytes of parameters that are kept: a sequence with more of them is no key.
    private static let longest = 16

    /// The effect of a byte.
    enum Step {
        case more
        /// The sequence is over; with its key, if it is a known one.
        case key(Key?)
        /// A pasted text follows.
        case paste
        /// This many bytes of any value follow.
        case counted(Int)
        /// The byte belongs to no sequence: what came before it is dropped.
        case broken
    }

    /// True behind `ESC O`.
    let isShort: Bool
    private var parameters: [UInt8] = []
    private var isLong = false

    init(isShort: Bool) { self.isShort = isShort }

    /// Takes the next byte.
    mutating func add(_ byte: UInt8) -> Step {
        switch byte {
        // F1 to F5 of the Linux console: `ESC [ [ A` to `E`.
        case UInt8(ascii: "[") where isFirst: return .counted(1)
        // A report of the mouse in its oldest form, which a program before may have asked for.
        case UInt8(ascii: "M") where isFirst: return .counted(3)
        // Keys with Shift of rxvt end so.
        case UInt8(ascii: "$") where !parameters.isEmpty && parameters.allSatisfy({ 0x30...0x39 ~= $0 }):
            return .key(nil)
        case 0x20...0x3F:
            if parameters.count < ControlSequence.longest { parameters.append(byte) } else { isLong = true }
            return .more
        case 0x40...0x7E where isLong: return .key(nil)
        case 0x40...0x7E: return end(byte)
        default: return .broken
        }
    }

    private var isFirst: Bool { !isShort && parameters.isEmpty }

    private func end(_ last: UInt8) -> Step {
        // Digits and `;` are the parameters of keys; with other bytes it is an answer of the terminal.
        guard parameters.allSatisfy({ 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ";") }) else { return .key(nil) }
        switch last {
        case UInt8(ascii: "A"): return .key(.up)
        case UInt8(ascii: "B"): return .key(.down)
        case UInt8(ascii: "C"): return .key(.right)
        case UInt8(ascii: "D"): return .key(.left)
        case UInt8(ascii: "H"): return .key(.home)
        case UInt8(ascii: "F"): return .key(.end)
        case UInt8(ascii: "Z"): return .key(.backTab)
        case UInt8(ascii: "~"): return numbered
        default: return .key(nil)
        }
    }

    private var numbered: Step {
        switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": .key(.home)
        case "3": .key(.delete)
        case "4", "8": .key(.end)
        case "5": .key(.pageUp)
        case "6": .key(.pageDown)
        case "200": .paste
        default: .key(nil)
        }
    }
}
