/// A key that a person pressed.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, escape, backspace, delete, tab, backTab
    case up, down, left, right, home, end, pageUp, pageDown
    /// A letter with Ctrl, as the small letter.
    case control(Character)
    /// Bytes that are no text in UTF-8.
    case unreadable
}
