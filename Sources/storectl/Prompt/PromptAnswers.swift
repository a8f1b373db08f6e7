import StoryClient
import StoryCore

/// The display of replies at the prompt: rows as tables, events as lines, objects as names and values.
struct PromptAnswers {
    private let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Shows a reply.
    ///
    /// - Parameters:
    ///   - request: the line that was sent.
    ///   - final: the line that closes the reply.
    ///   - fields: the fields of the declared model whose rows these are; nil for others.
    func show(
        _ request: String, _ rows: [ReplyLine], _ final: ReplyLine, _ fields: ModelFields?
    ) throws(CommandError) {
        if final.kind == .failed {
            Output.complain(Refusal(json: final.json).sentenceOfLine)
            return
        }
        guard !invocation.isJSON else {
            for row in rows + [final] { try invocation.output.line(row.text) }
            return
        }
        let answers = invocation.answers
        let verb = PromptLine.verb(of: request)
        switch verb {
        case .read(.list), .read(.streams), .read(.types), .read(.sorts), .read(.models):
            try table(rows, fields?.columns ?? Kinds.named(PromptLine.target(of: request)).map(Kinds.columns) ?? [])
            try invocation.output.line(rest(final))
        case .read(.erasures):
            try table(ErasuresRun.told(rows), ErasuresRun.columns)
            try invocation.output.line(rest(final))
        case .read(.cursors), .read(.parked):
            try table(rows, verb == .read(.parked) ? CursorsRun.parkedColumns : CursorsRun.columns)
            try invocation.output.line(rest(final))
        case .read(.read):
            try answers.events(rows)
            try invocation.output.line(rest(final))
        case .write(.erase):
            try table(rows, EraseRun.columns)
            try answers.object(final)
        case .write(.ack), .write(.fail), .write(.retry), .write(.discard), .write(.reset), .write(.drop):
            try answers.object(final)
        case .write(let write) where write != .define && write != .undefine:
            for row in rows { try answers.receipt(row) }
            if write != .append || rows.isEmpty { try answers.receipt(final) }
        case .operate(.help) where rows.count > 1: try overview(rows)
        case .operate(.cluster) where !rows.isEmpty:
            try table(rows, [])
            try answers.object(final)
        case .read, .write, .follow, .operate, nil:
            for row in rows { try answers.object(row) }
            try answers.object(final)
        }
    }

    /// Lists the verbs with their summaries, and the prompt's own words.
    private func overview(_ rows: [ReplyLine]) throws(CommandError) {
        let verbs = rows.compactMap { row -> (String, String)? in
            guard let members = ShownJSON(row.json)?.members, let verb = members["verb"] else { return nil }
            return (verb.shown, members["summary"]?.shown ?? "")
        }
        for line in Table.lines(pairs: verbs + PromptLine.words) { try invocation.output.line(line) }
        try invocation.output.line("HELP VERB explains one, with an example; HELP CODE explains an error.")
    }

    private func table(_ rows: [ReplyLine], _ known: [Column]) throws(CommandError) {
        let objects = rows.compactMap { ShownJSON($0.json) }
        // Sorts and streams have columns of their own: those of the first row.
        let first = objects.first?.fields.map { Column(described: $0.name) } ?? []
        let columns = first.allSatisfy { column in known.contains { $0.name == column.name } } ? known : first
        guard !rows.isEmpty else { return }
        var table = Table(columns, limit: Terminal.width)
        let lines = table.lines(objects)
        if let heading = lines.heading { try invocation.output.heading(heading) }
        for line in lines.rows { try invocation.output.line(line) }
        if let hint = table.hint { try invocation.output.line(hint) }
    }

    /// Returns `(2, position 18; there is more: …)`.
    private func rest(_ final: ReplyLine) -> String {
        let members = ShownJSON(final.json)?.members ?? [:]
        let count = members["count"]?.shown ?? "0"
        let position = members["position"].map { ", position \($0.shown)" } ?? ""
        return "(\(count)\(position)\(members["next"].map { "; there is more: \($0.shown)" } ?? ""))"
    }
}

/// A line that was typed at the prompt: a request, or one of the prompt's own words.
enum PromptLine: Equatable {
    /// An empty line, or a comment.
    case nothing
    /// The word that empties the screen.
    case clear
    /// A request for the store, which ends the conversation if its verb is QUIT.
    case request(String)

    /// The prompt's own words, with their summaries.
    static let words = [("clear", "Empties the screen."), ("exit", "Ends the conversation, as Ctrl-D does.")]

    init(_ line: String) {
        let text = line.trimmingSpaces
        guard !text.isEmpty, !text.hasPrefix("#") else {
            self = .nothing
            return
        }
        switch text.lowercased() {
        case "clear": self = .clear
        case "exit": self = .request(Verb.follow(.quit).name)
        case _ where text.hasPrefix("?"): self = .request(Verb.operate(.help).name + " " + text.dropFirst())
        default: self = .request(text)
        }
    }

    /// Returns the verb of a request; nil when its first word is not a verb.
    static func verb(of request: String) -> Verb? {
        words(of: request).first.flatMap { Verb(name: $0.uppercased()) }
    }

    /// Returns the word behind the verb of a request.
    static func target(of request: String) -> String? { words(of: request).dropFirst().first.map(String.init) }

    private static func words(of request: String) -> [Substring] {
        request.split(separator: " ").filter { !$0.hasPrefix("@") }
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
