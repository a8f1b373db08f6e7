// Keys that edit a form.
extension Draft {
    /// The text that names a row in the field with the focus; nil where that is for something else, or empty.
    var sought: Reference? {
        guard fields.indices.contains(focus), let row = fields[focus].sought else { return nil }
        return row.id.allSatisfy { $0 == " " } ? nil : row
    }

    /// The rows that the form began with.
    var references: [Reference] { fields.flatMap { $0.references(in: $0.original) } }

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

    /// Inserts a pasted text, all of it; false where it does not fit. A copied line that names a row has no end.
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

    /// The text that names a row, so far, and the kind; nil in a field for something else.
    var sought: Reference? {
        switch meaning {
        case .text: nil
        case .row(let kind): Reference(kind: kind, id: text)
        case .twoRows(let kind): Reference(kind: kind, id: String(text[secondStart...]))
        }
    }

    /// Returns the rows that a text of the field consists of.
    func references(in text: String) -> [Reference] {
        switch meaning {
        case .text: []
        case .row(let kind), .twoRows(let kind):
            text.split(separator: ",").map { Reference(kind: kind, id: String($0)) }
        }
    }

    /// Replaces the text that names a row by the row's ID.
    mutating func take(_ id: String) {
        if case .twoRows = meaning { text = text[..<secondStart] + id } else { text = id }
        (cursor, error) = (text.count, nil)
    }

    /// The start of the ID that is typed: behind the last comma.
    private var secondStart: String.Index { text.lastIndex(of: ",").map { text.index(after: $0) } ?? text.startIndex }

    mutating func clear() { (text, cursor, error) = ("", 0, nil) }

    mutating func move(by count: Int) { cursor = max(0, min(cursor + count, text.count)) }
}
