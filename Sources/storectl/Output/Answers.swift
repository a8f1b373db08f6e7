import StoryBrowser
import StoryClient
import StoryWords

/// The writer of replies: formatted for a person, or with `--json` as they came.
struct Answers {
    let output: Output
    let isJSON: Bool

    /// Writes events, a line each.
    func events(_ rows: [ReplyLine]) throws(CommandError) {
        for row in rows { try event(row) }
    }

    /// Writes one event on a line: position, time, stream and version, type, and data; or the event that erased them.
    ///
    /// - Parameter marks: the words that are marked in the data on a terminal; nil: none.
    func event(_ row: ReplyLine, marking marks: WordMarks? = nil) throws(CommandError) {
        guard !isJSON, let members = ShownJSON(row.json)?.members, let stream = members["stream"],
            let type = members["type"]
        else { return try output.line(row.json) }
        let start = "\(members["position"]?.shown ?? "?")  \(members["time"]?.shown ?? "?")"
        let version = members["version"]?.shown ?? "?"
        let data = members["erased"].map { "erased by \($0.shown)" } ?? members["data"]?.json ?? ""
        let text = "\(start)  \(stream.shown)@\(version)  \(type.shown)  "
        guard let marks else { return try output.line(text + data) }
        var line = Line(text)
        for part in marks.parts(data) { line.add(String(part.text), part.isWord ? .bold : []) }
        try output.line(line)
    }

    /// Writes an object as names and values.
    func object(_ reply: ReplyLine) throws(CommandError) {
        guard !isJSON, let object = ShownJSON(reply.json) else { return try output.line(reply.json) }
        for line in Table.lines(object: object) { try output.line(line) }
    }

    /// Writes the receipt of a write on one line.
    func receipt(_ reply: ReplyLine) throws(CommandError) {
        guard !isJSON, let members = ShownJSON(reply.json)?.members else { return try output.line(reply.json) }
        var parts: [String] = []
        if let name = members["stream"] ?? members["id"] { parts.append(name.shown) }
        for name in ["version", "position"] {
            if let value = members[name] { parts.append("\(name) \(value.shown)") }
        }
        if let time = members["time"] { parts.append(time.shown) }
        if members["repeated"]?.isTrue == true { parts.append("(done before, under the same key)") }
        if members["changed"]?.isFalse == true { parts.append("(nothing to change)") }
        try output.line(parts.joined(separator: "  "))
    }
}
