// The view of a form: each field on one line, and its error on the line below.
extension FormState {
    func view(_ size: Size, _ names: Names) -> [Line] {
        var lines = [Line(draft.title, .bold), Line()]
        if purpose.isDeletion { return lines + question(size, names) }
        let labels = (draft.fields.map { Shown.width($0.label) }.max() ?? 0) + 1
        var focused = 0
        for (index, field) in draft.fields.enumerated() {
            if index == draft.focus { focused = lines.count }
            let room = size.columns - labels - 4
            lines.append(line(field, isEdited: index == draft.focus, labels: labels, room: room))
            if index == draft.focus, let offers {
                lines += offers.lines(indent: labels + 3, columns: size.columns)
                continue
            }
            var wrong = Line(String(repeating: " ", count: labels + 3))
            if let error = field.error {
                wrong.add("✗ " + error, .red)
            } else if let other = field.other {
                wrong.add("now: " + other, .bold)
            } else {
                wrong.add(hint(field, isEdited: index == draft.focus, names), .dim)
            }
            lines.append(wrong)
        }
        if isHandedIn { lines.append(Line("…", .dim)) }
        // If there are more fields than lines, those around the edited one are shown.
        let top = max(0, min(focused - size.rows / 2, lines.count - size.rows))
        return Array(lines.dropFirst(top))
    }

    /// Returns the names of the rows in a field; in an empty one that is edited, the ways to name one.
    private func hint(_ field: DraftField, isEdited: Bool, _ names: Names) -> String {
        guard field.meaning != .text else { return "" }
        guard !field.text.isEmpty else { return isEdited ? "a name or an ID" : "" }
        let known = field.references(in: field.text).compactMap { found[$0] ?? names.known($0) }
        return known.joined(separator: ", ")
    }

    /// Returns the confirmation of a deletion: the row and the keys.
    private func question(_ size: Size, _ names: Names) -> [Line] {
        guard let content else { return [] }
        let text = Wrapping.lines(of: kind.text(of: content), columns: size.columns, limit: 5)
        let facts = kind.facts(of: content).flatMap { $0.lines(names, columns: size.columns) }
        let lines = facts + [Line()] + text.map { Line($0) } + [Line()]
        return lines + [
            isHandedIn ? Line("…", .dim) : Line("y deletes it, and its history remains; any other key keeps it")
        ]
    }

    private func line(_ field: DraftField, isEdited: Bool, labels: Int, room: Int) -> Line {
        var line = Line(isEdited ? "▸ " : "  ")
        line.add(field.label, columns: labels, isEdited ? .bold : [])
        line.add(" ")
        guard isEdited else {
            line.add(field.text, columns: room, .dim)
            return line
        }
        let (before, at, after) = field.shown(in: room)
        line.add(before)
        line.add(at, .reverse)
        line.add(after)
        return line
    }
}

extension Fact {
    private static let nameWidth = 14
    private static let maxLines = 8

    /// Returns the lines of a fact; a long value continues below.
    func lines(_ names: Names, columns: Int) -> [Line] {
        let texts = Wrapping.lines(
            of: Shown.safe(text(names)), columns: columns - Fact.nameWidth, limit: Fact.maxLines)
        return texts.enumerated().map { index, text in
            var line = Line()
            line.add(index == 0 ? name : "", columns: Fact.nameWidth, .dim)
            line.add(text)
            return line
        }
    }
}

extension DraftField {
    /// Returns the part of the text that fits: before, at and behind the cursor.
    func shown(in room: Int) -> (before: String, at: String, after: String) {
        let characters = Array(Shown.safe(text))
        let shown = min(cursor, characters.count)
        let at = shown < characters.count ? String(characters[shown]) : " "
        var left = room - Shown.width(at)
        var start = shown
        // Reserve a third of the room for the text behind the cursor.
        let behind = min(room / 3, characters[shown...].dropFirst().reduce(0) { $0 + Shown.width(String($1)) })
        while start > 0, Shown.width(String(characters[start - 1])) <= left - behind {
            start -= 1
            left -= Shown.width(String(characters[start]))
        }
        var end = min(shown + 1, characters.count)
        while end < characters.count, Shown.width(String(characters[end])) <= left {
            left -= Shown.width(String(characters[end]))
            end += 1
        }
        return (String(characters[start..<shown]), at, String(characters[min(shown + 1, end)..<end]))
    }
}
