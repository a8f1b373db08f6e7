/// A line that is being typed, and the history of lines before it.
package struct TypedLine: Equatable, Sendable {
    /// The effect of a key beside a change of the line.
    package enum Outcome: Equatable, Sendable {
        case editing
        case entered(String)
        /// The line is complete, but has bytes that are no text.
        case refused
        case completion
        case clearing
        case end
    }

    /// The text, each character as it was typed.
    package private(set) var text = ""
    /// The number of characters before the cursor.
    package private(set) var cursor = 0
    /// The search text for an earlier line; nil without a search.
    package private(set) var searched: String?
    /// The lines of the history, the oldest first.
    package private(set) var history: [String]
    /// The index of the shown line in the history; its count for the new line.
    private var shown: Int
    /// The new line while one of the history is shown.
    private var draft = ""
    /// The text that was cut last.
    private var cut = ""
    private var hasUnreadable = false
    private var isMeta = false

    /// Creates an empty line after a history.
    package init(history: [String] = []) {
        self.history = history
        shown = history.count
    }

    /// The text before the cursor.
    package var before: String { String(text.prefix(cursor)) }

    /// Begins an empty line, and adds an entered one to the history.
    package mutating func begin(keeping line: String? = nil) {
        if let line, !line.isEmpty, line != history.last { history.append(line) }
        let (history, cut) = (history, cut)
        self = TypedLine(history: history)
        self.cut = cut
    }

    /// Inserts text at the cursor; an accent joins the letter before it.
    package mutating func insert(_ more: String) {
        let (before, after) = (before + more, String(text.dropFirst(cursor)))
        text = before + after
        cursor = min(before.count, text.count)
    }

    /// Handles a key.
    package mutating func press(_ key: Key) -> Outcome {
        if let searched, search(key, for: searched) { return .editing }
        if isMeta, case .character(let letter) = key {
            isMeta = false
            moveOverWord(letter)
            return .editing
        }
        isMeta = key == .escape
        switch key {
        case .enter, .control("j"), .control("m"): return hasUnreadable ? .refused : .entered(text)
        case .tab: return .completion
        case .control("l"): return .clearing
        case .control("d") where text.isEmpty: return .end
        case .character(let character): insert(String(character))
        case .pasted(let text?): insert(text)
        case .alt(let letter): moveOverWord(letter)
        case .unreadable, .pasted(nil):
            insert("\u{FFFD}")
            hasUnreadable = true
        case .up, .control("p"): show(shown - 1)
        case .down, .control("n"): show(shown + 1)
        case .control("r"): searched = ""
        default: edit(key)
        }
        return .editing
    }

    private mutating func edit(_ key: Key) {
        switch key {
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(text.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        case .backspace, .control("h"): remove(max(0, cursor - 1)..<cursor)
        case .delete, .control("d"): remove(cursor..<min(text.count, cursor + 1))
        case .control("k"): cut = remove(cursor..<text.count)
        case .control("u"): cut = remove(0..<cursor)
        case .control("w"): cut = remove(wordStart..<cursor)
        case .control("y"): insert(cut)
        case .character, .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown, .control, .alt, .pasted,
            .unreadable:
            break
        }
    }

    /// Removes characters, and moves the cursor to their position.
    @discardableResult
    private mutating func remove(_ range: Range<Int>) -> String {
        let removed = String(text.dropFirst(range.lowerBound).prefix(range.count))
        let before = String(text.prefix(range.lowerBound))
        text = before + text.dropFirst(range.upperBound)
        cursor = min(before.count, text.count)
        return removed
    }

    private var wordStart: Int {
        let start = before.reversed().drop { $0 == " " }.drop { $0 != " " }
        return start.count
    }

    private mutating func moveOverWord(_ letter: Character) {
        switch letter {
        case "b": cursor = wordStart
        case "f": cursor = text.count - text.dropFirst(cursor).drop { $0 == " " }.drop { $0 != " " }.count
        default: break
        }
    }

    /// Shows a line of the history, or the new line after them.
    private mutating func show(_ index: Int) {
        guard (0...history.count).contains(index) else { return }
        if shown == history.count { draft = text }
        shown = index
        text = index == history.count ? draft : history[index]
        cursor = text.count
        if index < history.count { hasUnreadable = false }
    }

    /// Handles a key of a search for the newest line that contains a text; returns false for a key that ends the
    /// search.
    private mutating func search(_ key: Key, for part: String) -> Bool {
        var part = part
        var end = history.count
        switch key {
        case .character(let character): part.append(character)
        case .pasted(let text?): part += text
        case .backspace: part = String(part.dropLast())
        case .control("r"): end = shown
        default:
            searched = nil
            return key == .escape
        }
        searched = part
        if let found = history[..<end].lastIndex(where: { $0.contains(part) }) { show(found) }
        return true
    }
}

/// The layout of a line on a terminal that wraps full rows.
package struct LineLayout: Equatable, Sendable {
    /// A cell of the terminal, relative to the line's start.
    package struct Cell: Equatable, Sendable {
        /// The row, from 0.
        package var row = 0
        /// The column, from 0.
        package var column = 0
    }

    /// The cell of the cursor.
    package private(set) var cursor = Cell()
    /// The cell behind the line's last character.
    package private(set) var end = Cell()

    /// Lays out a prompt and a line.
    ///
    /// - Parameters:
    ///   - prompt: the text before the line.
    ///   - width: the number of columns of the terminal.
    package init(_ prompt: String, _ line: TypedLine, width: Int) {
        for character in prompt { place(character, width) }
        cursor = end
        for (index, character) in line.text.enumerated() {
            place(character, width)
            if index + 1 == line.cursor { cursor = end }
        }
    }

    private mutating func place(_ character: Character, _ width: Int) {
        let columns = Shown.width(Shown.safe(String(character)))
        if end.column + columns > width { end = Cell(row: end.row + 1) }
        end.column += columns
        if end.column == width { end = Cell(row: end.row + 1) }
    }
}
