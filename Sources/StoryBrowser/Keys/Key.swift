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
