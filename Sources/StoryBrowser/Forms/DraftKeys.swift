// Keys that edit a form.
extension Draft {
    /// The text that names a user in the field with the focus; nil where that is for something else, or empty.
    var sought: String? {
        guard fields.indices.contains(focus), let text = fields[focus].sought else { return nil }
        return text.allSatisfy { $0 == " " } ? nil : text
    }

    /// The IDs of users that the form began with.
    var people: [String] {
        fields.filter { $0.meaning != .text }.flatMap { $0.original.split(separator: ",").map(String.init) }
    }

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
        case .enter, .escape, .pageUp, .pageDown, .control, .alt, .pasted, .unreadable: return false
        }
        return true
    }

    /// Inserts a pasted text into the field with the focus: all of it, or, where it does not fit, nothing.
    mutating func insert(pasted text: String) -> Bool {
        guard fields.indices.contains(focus) else { return false }
        return fields[focus].insert(pasted: text)
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

    /// Inserts a pasted text, all of it; false where it does not fit. A copied line that names a user has no end.
    mutating func insert(pasted text: String) -> Bool {
        let pasted = meaning == .text ? text : String(text.split(whereSeparator: \.isNewline).joined(separator: "\n"))
        guard self.text.count + pasted.count <= Draft.limit else { return false }
        let before = self.text[..<index] + pasted
        self.text = String(before) + self.text[index...]
        cursor = min(before.count, self.text.count)
        error = nil
        return true
    }

    mutating func delete(before: Bool) {
        guard before ? cursor > 0 : cursor < text.count else { return }
        if before { cursor -= 1 }
        text.remove(at: index)
        cursor = min(cursor, text.count)
        error = nil
    }

    /// The text that names a user, so far; nil in a field for something else.
    var sought: String? {
        switch meaning {
        case .text: nil
        case .user: text
        case .twoUsers: String(text[secondStart...])
        }
    }

    /// Replaces the text that names a user by the user's ID.
    mutating func take(_ id: String) {
        text = meaning == .twoUsers ? text[..<secondStart] + id : id
        (cursor, error) = (text.count, nil)
    }

    /// The start of the ID that is typed: behind the last comma.
    private var secondStart: String.Index { text.lastIndex(of: ",").map { text.index(after: $0) } ?? text.startIndex }

    mutating func clear() { (text, cursor, error) = ("", 0, nil) }

    mutating func move(by count: Int) { cursor = max(0, min(cursor + count, text.count)) }
}
