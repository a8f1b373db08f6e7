import StoryClient

// The view of a page: the fields, the text, the history, and its slider.
extension PageState {
    func view(_ size: Size, _ names: Names) -> [Line] {
        let history = historyLines(count: 6)
        var lines = [moment]
        switch shown {
        case .loading: lines.append(Line("…", .dim))
        case .absent(let sentence): lines.append(Line(isDeleted ? deletion : sentence, .red))
        case .row(let content):
            lines += Kind.facts(of: content).flatMap { $0.lines(names, columns: size.columns) } + [Line()]
            let room = max(0, size.rows - lines.count - history.count - 2)
            lines += text(of: content, columns: size.columns, room: room)
        }
        let gap = max(0, size.rows - lines.count - history.count - 2)
        lines += Array(repeating: Line(), count: gap)
        return lines + [rule(size.columns)] + history + [slider(size.columns)]
    }

    /// The heading: the moment that is shown.
    private var moment: Line {
        guard let version else {
            switch now {
            case .loading, .row: return Line("as it is now, live", .bold)
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

    private var deletion: String { "\(Kind.category) \(id) was deleted; its history remains" }

    private func text(of content: Kind.Content, columns: Int, room: Int) -> [Line] {
        let lines = Wrapping.lines(of: Kind.text(of: content), columns: columns, limit: scroll + 500)
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
