import StoryBrowser
import StoryClient
import StoryCore

/// The dry run of a definition: `storectl model check FILE NAME`.
extension ModelRequests {
    /// Shows the rows that would be others, the events that would not fit, and the names that no event has.
    func check(_ name: String, _ text: String) throws(CommandError) -> ExitCode {
        var request = RequestLine("DEFINE", name)
        request.add("check", "true")
        request.add("limit", from: invocation.arguments)
        let reply = try invocation.ask(request.with(json: JSONText.quoted(text)))
        for row in reply.rows { try difference(row) }
        guard !invocation.isJSON, let closing = ShownJSON(reply.final.json)?.members else {
            try invocation.output.line(reply.final.json)
            return .done
        }
        let shown = UInt64(reply.rows.count)
        let numbers = ["changed", "added", "removed"].map { closing[$0]?.whole ?? 0 }
        let differing = numbers.reduce(0, +)
        if shown < differing { try invocation.output.line("… and \(Grouped.text(differing - shown)) more") }
        try invocation.output.line(
            "\(name): \(ModelRun.count(closing["rows"]?.whole ?? 0, "row")): "
                + "\(Grouped.text(closing["same"]?.whole ?? 0)) the same, \(Grouped.text(numbers[0])) changed, "
                + "\(Grouped.text(numbers[1])) added; \(Grouped.text(numbers[2])) removed")
        for (_, misfit) in closing["misfits"]?.fields ?? [] { try line(ofMisfit: misfit.members) }
        for sentence in ModelRequests.never(closing) { try invocation.output.line(sentence) }
        return .done
    }

    private func difference(_ row: ReplyLine) throws(CommandError) {
        guard !invocation.isJSON, let members = ShownJSON(row.json)?.members else {
            return try invocation.output.line(row.json)
        }
        try invocation.output.line(members["id"]?.shown ?? "?")
        for (mark, side, style) in [("-", members["before"], Style.red), ("+", members["after"], .green)] {
            if let side, side.isObject { try invocation.output.line(Line("  \(mark) \(side.json)", style)) }
        }
    }

    private func line(ofMisfit misfit: [String: ShownJSON]) throws(CommandError) {
        let (line, rule) = (misfit["line"]?.shown ?? "?", misfit["rule"]?.shown ?? "?")
        let count = ModelRun.count(misfit["count"]?.whole ?? 0, "event")
        try invocation.output.line(
            "line \(line): \(rule): \(count) would not fit, the first at position \(misfit["first"]?.shown ?? "?")")
    }

    /// Returns a sentence for each name that no event has.
    static func never(_ members: [String: ShownJSON]) -> [String] {
        (members["never"]?.fields ?? []).map { _, name in
            let name = name.members
            let nearest = name["nearest"].map { "; the nearest is \($0.shown)" } ?? ""
            return "line \(name["line"]?.shown ?? "?"): no event has \(name["name"]?.shown ?? "?")\(nearest)"
        }
    }
}
