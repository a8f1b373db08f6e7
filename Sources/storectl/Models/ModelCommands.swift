import Glibc
import StoryBrowser
import StoryClient
import StoryCore

/// The parts of `storectl model` that ask a daemon.
struct ModelCommands {
    /// The time between two questions for the progress of a build, in microseconds.
    private static let pause: UInt32 = 20_000

    let invocation: Invocation

    // MARK: Define

    /// Declares a model by the text of a file, and waits until it answers.
    func define(_ name: String, _ file: String) throws(CommandError) -> ExitCode {
        let bytes = try InputFile.read(file)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .system("\(file) is not UTF-8") }
        var request = RequestLine("DEFINE", name)
        request.add("key", from: invocation.arguments)
        let answerer = Answerer(try invocation.connect(writes: true))
        let before = answers(name, answerer)
        if let new = try? Definition.read(text) {
            let old = before.flatMap { try? Definition.read($0) }
            for hint in new.hints(inPlaceOf: old) { Output.complain(raw: "\(file):\(hint)") }
        }
        let began = ContinuousClock.now
        let reply: StoreReply
        do throws(CommandError) {
            reply = try answerer.ask(request.with(json: JSONText.quoted(text)))
        } catch {
            throw located(error, in: file)
        }
        guard !invocation.isJSON else {
            try invocation.output.line(reply.final.json)
            return .done
        }
        let members = ShownJSON(reply.final.json)?.members ?? [:]
        let number = members["definition"]?.whole ?? 0
        if members["changed"]?.isFalse == true {
            try invocation.output.line("\(name): definition \(number), nothing to change")
            return .done
        }
        let isTaken = before.map { LineMapping(from: Array($0.utf8), to: bytes) != nil } ?? false
        try waitUntilReady(name, definition: number, answerer, since: began, rowsAreTaken: isTaken)
        return .done
    }

    /// Returns the text of the definition that answers; nil where none does.
    func answers(_ name: String, _ answerer: Answerer) -> String? {
        let reply = try? answerer.ask(RequestLine("MODELS", name).text)
        let model = reply?.rows.first.flatMap { ShownJSON($0.json) }?.members ?? [:]
        return model["state"]?.text == "ready" ? model["text"]?.plain : nil
    }

    /// Names the file in the faults of its text.
    private func located(_ error: CommandError, in file: String) -> CommandError {
        guard case .refused(let refusal, _) = error, refusal.code == .invalid, let fields = refusal.fields,
            !fields.isEmpty
        else {
            return error
        }
        for field in fields {
            Output.complain(raw: "\(file):\(field.field): \(field.rule): \(field.message)")
        }
        return .silent(.no)
    }

    private func waitUntilReady(
        _ name: String, definition number: UInt64, _ answerer: Answerer, since began: ContinuousClock.Instant,
        rowsAreTaken: Bool
    ) throws(CommandError) {
        let progress = Progress("building \(name)", rowsAreTaken ? "rows" : "events")
        var wait = BuildWait(name, limit: invocation.timeout)
        while true {
            let reply = try answerer.ask(RequestLine("MODELS", name).text)
            let model = reply.rows.first.flatMap { ShownJSON($0.json) }?.members ?? [:]
            if model["state"]?.text == "ready", model["definition"]?.whole == number {
                let events = ShownJSON(reply.final.json)?.members["position"]?.whole ?? 0
                let taken = began.duration(to: .now) / .seconds(1)
                let time = "\((taken * 100).rounded() / 100)"
                let work = rowsAreTaken ? "its rows taken over" : "\(Grouped.text(events)) events folded"
                return try invocation.output.line(
                    "\(name): definition \(number), \(work) in \(time) s: "
                        + Grouped.count(model["rows"]?.whole ?? 0, "row") + ", "
                        + Grouped.count(model["misfits"]?.whole ?? 0, "misfit"))
            }
            let build = model["building"]?.members ?? [:]
            let (done, all) = rowsAreTaken ? (build["rows"], model["rows"]) : (build["position"], build["of"])
            try wait.saw(done?.whole, reason: model["reason"]?.shown, hasFailed: model["state"]?.text == "failed")
            progress.show(done?.whole ?? 0, of: all?.whole)
            usleep(ModelCommands.pause)
        }
    }

    // MARK: The others

    func undefine(_ name: String) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask(RequestLine("UNDEFINE", name).text, writes: true)
        try invocation.output.line(
            invocation.isJSON ? reply.final.json : Array("\(name) is undefined; its events stay".utf8))
        return .done
    }

    func list() throws(CommandError) -> ExitCode {
        let names = ["model", "definition", "state", "rows", "misfits", "bytes"]
        var lines = try RowLines(invocation, columns: names.map { Column(described: $0) })
        let reply = try invocation.ask("MODELS")
        try lines.write(reply.rows)
        try invocation.output.flush()
        try lines.end()
        return .done
    }

    /// Shows the text of the definition that answers, the figures of its model, and the names that no event has.
    func show(_ name: String) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask(RequestLine("MODELS", name).text)
        guard let row = reply.rows.first, let model = ShownJSON(row.json)?.members, !invocation.isJSON else {
            try invocation.output.line(reply.rows.first?.json ?? reply.final.json)
            return .done
        }
        guard let text = model["text"]?.plain else { return try show(name, builtIn: model) }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            try invocation.output.line(String(line))
        }
        let rows = Grouped.count(model["rows"]?.whole ?? 0, "row")
        let misfits = Grouped.count(model["misfits"]?.whole ?? 0, "misfit")
        Output.complain(
            raw: "\(name): definition \(model["definition"]?.shown ?? "?"), \(model["state"]?.shown ?? "?"), \(rows), "
                + misfits)
        for sentence in ModelCommands.never(model) { Output.complain(raw: sentence) }
        return .done
    }

    /// Shows the fields of a built-in kind, which has no definition.
    private func show(_ name: String, builtIn model: [String: ShownJSON]) throws(CommandError) -> ExitCode {
        for field in model["fields"]?.fields ?? [] {
            let members = field.value.members
            try invocation.output.line("\(members["name"]?.plain ?? ""): \(members["type"]?.plain ?? "")")
        }
        Output.complain(raw: "\(name): built in, \(Grouped.count(model["rows"]?.whole ?? 0, "row"))")
        return .done
    }

    /// Shows the events that did not fit, one a line.
    func misfits(_ name: String) throws(CommandError) -> ExitCode {
        var from: String?
        while true {
            var request = RequestLine("READ", "misfits/\(name)")
            if let from { request.add("from", from) }
            let reply = try invocation.ask(request.text)
            for row in reply.rows { try misfit(row) }
            guard let next = ShownJSON(reply.final.json)?.members["next"]?.shown, next != from else { return .done }
            from = next
        }
    }

    private func misfit(_ row: ReplyLine) throws(CommandError) {
        guard !invocation.isJSON, let members = ShownJSON(row.json)?.members else {
            return try invocation.output.line(row.json)
        }
        let (position, line) = (members["position"]?.shown ?? "?", members["line"]?.shown ?? "?")
        let (statement, rule) = (members["statement"]?.shown ?? "", members["rule"]?.shown ?? "?")
        try invocation.output.line("position \(position), line \(line): \(statement): \(rule)")
    }
}

/// The wait for a definition that is being built; it ends where the build has failed, or does not go on for too long.
private struct BuildWait {
    private let name: String
    private let limit: Duration
    private var deadline: ContinuousClock.Instant
    private var done: UInt64?
    private var told: String?

    init(_ name: String, limit: Duration) {
        (self.name, self.limit) = (name, limit)
        deadline = .now + limit
    }

    /// Takes the progress of the build.
    ///
    /// - Throws: the reason why it is not waited for any longer; the definition stays.
    mutating func saw(_ done: UInt64?, reason: String?, hasFailed: Bool) throws(CommandError) {
        let stays = "its definition is written"
        if hasFailed {
            Output.complain("\(name) cannot be built: \(reason ?? "MODELS \(name) has no reason"); \(stays)")
            throw .silent(.no)
        }
        if let reason, reason != told {
            told = reason
            Output.complain("\(name) waits: \(reason)")
        }
        if done != self.done { (self.done, deadline) = (done, .now + limit) }
        guard ContinuousClock.now >= deadline else { return }
        guard let reason else { throw .store(.timedOut(after: limit)) }
        throw .full("\(name) still waits: \(reason); \(stays), and it is built once it can be")
    }
}

/// The dry run of a definition: `storectl model check FILE NAME`.
extension ModelCommands {
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
            "\(name): \(Grouped.count(closing["rows"]?.whole ?? 0, "row")): "
                + "\(Grouped.text(closing["same"]?.whole ?? 0)) the same, \(Grouped.text(numbers[0])) changed, "
                + "\(Grouped.text(numbers[1])) added; \(Grouped.text(numbers[2])) removed")
        for (_, misfit) in closing["misfits"]?.fields ?? [] { try line(ofMisfit: misfit.members) }
        for sentence in ModelCommands.never(closing) { try invocation.output.line(sentence) }
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
        let count = Grouped.count(misfit["count"]?.whole ?? 0, "event")
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
