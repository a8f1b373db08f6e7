import StoryClient

// The view of the browser around the screen of a coordinator.
extension BrowserState {
    /// The contents of the terminal, a function of the state alone.
    package var screen: Screen {
        guard !size.isTooSmall else {
            let text = "this terminal is \(size.columns)×\(size.rows); the browser needs 80×24"
            return Screen([Line(text), Line("make it larger, or press q to quit")], size)
        }
        let body =
            isHelpShown
            ? Help.lines(kinds) : route.location.screen.view(Size(columns: size.columns, rows: height), names)
        // A notice of several lines covers the end of the screen above.
        let notices = noticeLines
        let height = max(0, self.height + 1 - notices.count)
        let room = Array(body.prefix(height)) + Array(repeating: Line(), count: max(0, height - body.count))
        return Screen([heading] + room + notices + [keysLine], size)
    }

    /// The breadcrumbs, and the end of the log.
    private var heading: Line {
        var status = ""
        switch connection {
        case .unknown: status = " … "
        case .connected: status = " position \(position) "
        case .lost: status = " connection lost "
        }
        let room = max(0, size.columns - Shown.width(status))
        var line = Line()
        line.add(trail(room), columns: room, [.bold, .reverse])
        if case .lost = connection { line.add(status, [.bold, .reverse, .red]) } else { line.add(status, .reverse) }
        return line
    }

    /// Returns the titles of the visited screens; the last ones if not all fit.
    private func trail(_ room: Int) -> String {
        var titles = route.locations.map { Shown.cut(Shown.safe($0.screen.title), to: 30) }
        var text = " " + titles.joined(separator: " › ")
        while Shown.width(text) > room, titles.count > 1 {
            titles.removeFirst()
            text = " … › " + titles.joined(separator: " › ")
        }
        return text
    }

    private var noticeLines: [Line] {
        if let notice { return BrowserState.wrapped(notice, size.columns, []) }
        if case .lost(let sentence) = connection { return BrowserState.wrapped(sentence, size.columns, .red) }
        return [Line()]
    }

    /// Returns a sentence on at most three lines.
    private static func wrapped(_ sentence: String, _ columns: Int, _ style: Style) -> [Line] {
        Wrapping.lines(of: Shown.safe(sentence), columns: columns - 2, limit: 3).map { Line(" " + $0, style) }
    }

    /// The keys of the screen, as many as fit.
    private var keysLine: Line {
        var line = Line()
        let everywhere = [("?", "help"), ("q", "quit")]
        let hints = isHelpShown ? [("any key", "back")] : route.location.screen.hints
        let common = route.location.screen.takesText || isHelpShown ? [] : everywhere
        let reserved = common.reduce(0) { $0 + Shown.width($1.0) + Shown.width($1.1) + 3 }
        for (key, does) in hints {
            guard line.width + Shown.width(key) + Shown.width(does) + 3 <= size.columns - reserved else { break }
            add(key, does, to: &line)
        }
        for (key, does) in common { add(key, does, to: &line) }
        return line
    }

    private func add(_ key: String, _ does: String, to line: inout Line) {
        line.add(" \(key)", .bold)
        line.add(" \(does) ", .dim)
    }
}

/// The help: a list of all keys.
enum Help {
    private static let keys = [
        ("↑ ↓ j k", "move; PgUp, PgDn and the space bar a page, Home and End"),
        ("Enter", "opens the row"), ("Esc, Backspace", "back to the screen before"),
        ("0 5 6 7", "all that is here; declared models; streams; the log"),
        ("/", "filters the rows: a form; empty fields do not matter"),
        ("s, S", "sorts by the next field; reverses the order"), ("← →, Home, End", "on a page: through its past"),
        ("d, m", "of a model: the definition; the events that did not fit"),
        ("o, e", "of a row or an event: its stream; of streams: the events"),
        ("n", "makes a new one"), ("e, d", "revises the row; deletes it, once that is confirmed"),
        ("Tab, ↑ ↓", "in a form: to the next field; Ctrl-J a new line, Ctrl-U empties"),
        ("q, Ctrl-C", "ends the browser"),
    ]

    /// Returns the lines of the help: the keys of every screen, and those that only rows of a kind have.
    static func lines(_ kinds: [ModelDescription]) -> [Line] {
        var rows = Array(keys.prefix(4))
        if !kinds.isEmpty {
            let names = kinds.map(\.id).joined(separator: ", ")
            rows.append((kinds.compactMap(\.key).joined(separator: " "), "all \(names)"))
        }
        rows += keys.dropFirst(4).dropLast(2)
        for kind in kinds {
            let keys = ModelRows(kind).keys.filter { $0.key != "d" }
            rows.append(("in \(kind.id)", keys.map { "\($0.key) \($0.name)" }.joined(separator: ", ")))
        }
        rows += keys.suffix(2)
        return [Line("the keys", .bold), Line()]
            + rows.map { key, does in
                var line = Line()
                line.add("  ")
                line.add(key, columns: 15, .bold)
                line.add(does)
                return line
            }
    }
}
