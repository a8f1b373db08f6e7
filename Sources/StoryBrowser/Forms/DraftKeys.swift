// Keys that edit a form.
extension Draft {
    /// Handles a key; returns false if it does not belong to editing.
    mutating func press(_ key: Key) -> Bool {
        guard fields.indices.contains(focus) else { return false }
        switch key {
        case .tab, .down: focus = (focus + 1) % fields.count
        case .backTab, .up: focus = (focus + fields.count - 1) % fields.count
        case .character(let character): fields[focus].insert(character)
        case .control("j"): fields[focus].insert("\n")
        case .control("u"): fields[focus].clear()
        case .backspace: fields[focus].delete(before: true)
        case .delete: fields[focus].delete(before: false)
        case .left: fields[focus].move(by: -1)
        case .right: fields[focus].move(by: 1)
        case .home, .control("a"): fields[focus].move(by: -Draft.limit)
        case .end, .control("e"): fields[focus].move(by: Draft.limit)
        case .enter, .escape, .pageUp, .pageDown, .control, .unreadable: return false
        }
        return true
    }
}

extension DraftField {
    private var index: String.Index {
        text.index(text.startIndex, offsetBy: cursor, limitedBy: text.endIndex) ?? text.endIndex
    }

    /// Inserts a character; an accent joins the letter before it.
    mutating func insert(_ character: Character) {
        guard text.count < Draft.limit else { return }
        let before = text[..<index] + String(character)
        text = String(before) + text[index...]
        cursor = min(before.count, text.count)
        error = nil
    }

    mutating func delete(before: Bool) {
        guard before ? cursor > 0 : cursor < text.count else { return }
        if before { cursor -= 1 }
        text.remove(at: index)
        cursor = min(cursor, text.count)
        error = nil
    }

    mutating func clear() { (text, cursor, error) = ("", 0, nil) }

    mutating func move(by count: Int) { cursor = max(0, min(cursor + count, text.count)) }
}
