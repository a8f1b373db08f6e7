import StoryClient

// The view of a page: the fields, the text, the history, and its slider.
extension PageState {
    func view(_ size: Size, _ names: Names) -> [Line] {
        let past = pastLines(size.columns)
        var lines = [moment]
        switch shown {
        case .loading: lines.append(Line("…", .dim))
        case .absent(let sentence): lines.append(Line(isDeleted ? deletion : sentence, .red))
        case .row(let content):
            lines += kind.facts(of: content).flatMap { $0.lines(names, columns: size.columns) } + [Line()]
            let room = max(0, size.rows - lines.count - past.count)
            lines += text(of: content, columns: size.columns, room: room)
        }
        let gap = max(0, size.rows - lines.count - past.count)
        return lines + Array(repeating: Line(), count: gap) + past
    }

    private func pastLines(_ columns: Int) -> [Line] {
        if hasHistory { return [rule(columns)] + historyLines(count: 6) + [slider(columns)] }
        guard hasEarlier else { return [] }
        let text = "── made of several streams: ← shows the state before "
        return [Line(text + String(repeating: "─", count: max(0, columns - Shown.width(text))), .dim)]
    }

    /// The heading: the moment that is shown.
    private var moment: Line {
        guard let version else {
            if let row = earlier.last { return Line("as it was at position \(row.position)", .bold) }
            switch now {
            case .loading, .row: return Line(kind.presence, .bold)
            case .absent: return Line(isDeleted ? "deleted" : "not there", .bold)
            }
        }
        guard let entry = history.first(where: { $0.version == version }) else {
            return Line("as it was at version \(version)", .bold)
        }
        return Line(
            "as it was at version \(version), position \(entry.position), \(Moments.told(entry.time))", .bold)
    }

    /// True if the row was deleted.
    private var isDeleted: Bool {
        guard case .absent = now else { return false }
        return version == nil && last > 0
    }

    private var deletion: String { "\(kind.name(of: id)) was deleted; its history remains" }

    private func text(of content: Kind.Content, columns: Int, room: Int) -> [Line] {
        let lines = Wrapping.lines(of: kind.text(of: content), columns: columns, limit: scroll + 500)
        guard lines.count > room, room > 1 else { return lines.prefix(room).map { Line($0) } }
        // The last line points to the rest of the text.
        let shown = room - 1
        let top = max(0, min(scroll, lines.count - shown))
        let above = top > 0 ? "↑ more above" : nil
        let below = top + shown < lines.count ? "↓ more below, PgDn" : nil
        let marks = [above, below].compactMap(\.self).joined(separator: " · ")
        return lines[top..<top + shown].map { Line($0) } + [Line(marks, .dim)]
    }

    private func rule(_ columns: Int) -> Line {
        let name = "── history: \(last) event\(last == 1 ? "" : "s") "
        return Line(name + String(repeating: "─", count: max(0, columns - Shown.width(name))), .dim)
    }

    /// Returns the lines of the events around the slider.
    private func historyLines(count: Int) -> [Line] {
        let wanted = version ?? last
        let index = history.firstIndex { $0.version >= wanted } ?? history.count
        let top = max(0, min(index - count / 2, history.count - count))
        return history.dropFirst(top).prefix(count).map { entry in
            var line = Line(entry.version == wanted ? "▸" : " ")
            line.add("\(entry.version)", columns: 5)
            line.add(" \(Moments.shown(entry.time)) ")
            line.add(entry.type, columns: 22)
            line.add(" \(entry.data)", .dim)
            return line.styled(entry.version == wanted ? .bold : [])
        }
    }

    /// Returns the slider: the version that is shown, between the first event and the present.
    private func slider(_ columns: Int) -> Line {
        let label = " \(version ?? last)/\(last)"
        let length = max(4, columns - label.count - 3)
        let share = last > 1 ? Double((version ?? last) - min(version ?? last, 1)) / Double(last - 1) : 1
        let mark = max(0, min(length - 1, Int(share * Double(length - 1))))
        var line = Line("├", .dim)
        line.add(String(repeating: "─", count: mark), .dim)
        line.add("●", .bold)
        line.add(String(repeating: "─", count: length - 1 - mark), .dim)
        line.add("┤" + label, .dim)
        return line
    }
}
