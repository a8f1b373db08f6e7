import Glibc
import StoryBrowser
import StoryClient
import StoryCore
import StoryWire

/// An interactive session with the store at the terminal.
final class Prompt {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "prompt", summary: "starts an interactive prompt, as plain \"storectl\" does on a terminal",
            operand: .none,
            details: [
                "It takes requests of the protocol, a line each; HELP (or ?) lists the verbs.",
                "Tab completes verbs, kinds, options, fields and values, and from the store IDs, streams, types of events, declared",
                "models, and their filters, sorts, and the values and IDs of their newest 1,000 rows, at most 100 names; a store that does",
                "not answer at once completes nothing. The arrows go through earlier requests.",
                "Pushes of subscriptions are shown as they come. clear empties the screen; exit, quit or Ctrl-D ends it.",
            ],
            examples: ["storectl", "storectl prompt --socket PATH"]),
        run: { invocation throws(CommandError) in
            let prompt = Prompt(invocation, try invocation.connect(writes: true))
            return try prompt.run()
        })

    private let invocation: Invocation
    private let connection: StoreConnection
    private let answers: PromptAnswers
    /// The editor of the line, once the conversation has begun.
    private var editor: LineEditor?

    init(_ invocation: Invocation, _ connection: StoreConnection) {
        self.invocation = invocation
        self.connection = connection
        answers = PromptAnswers(invocation)
    }

    /// Returns the verb of a command line without one: `prompt` on a terminal.
    static func verb(_ arguments: Arguments) -> String? {
        Terminal.isConversation && !arguments.has("help") ? subcommand.description.name : nil
    }

    func run() throws(CommandError) -> ExitCode {
        guard Terminal.isConversation else {
            throw .usage("prompt is for a terminal; send lines with \"storectl pipe\"")
        }
        let members = ShownJSON(connection.greeting)?.members
        Output.complain(
            raw: "\(members?["server"]?.shown ?? "a store") at \(connection.place), position "
                + "\(members?["position"]?.shown ?? "?"); HELP lists the verbs, Tab completes, Ctrl-D ends")
        let editor = LineEditor(LineHistory(), StoreNames([connection.place]))
        self.editor = editor
        // A signal that comes right before a wait ends that wait as well.
        connection.alarm = Suspension.descriptor
        defer { editor.end() }
        do throws(ClientError) {
            try converse(editor)
        } catch {
            guard error != .interrupted else { return .interrupted }
            throw .store(error)
        }
        return .done
    }

    private func converse(_ editor: LineEditor) throws(ClientError) {
        try stayOpen()
        editor.begin()
        while true {
            while let line = try connection.arrivedLine() { editor.interrupt { show(line) } }
            guard !connection.isOver else { throw connection.ending }
            editor.obeyStops()
            if !editor.hasKeys { guard try connection.wait(for: STDIN_FILENO) else { continue } }
            switch editor.readKeys() {
            case .typing: break
            case .line(let line):
                if try !take(PromptLine(line)) { return }
                editor.begin()
            case .refused:
                Output.complain(
                    "the line has bytes that are no text in UTF-8; set the terminal to UTF-8, and type it again")
                editor.begin()
            case .end: return
            }
        }
    }

    /// Executes a line; false when it was the last.
    private func take(_ line: PromptLine) throws(ClientError) -> Bool {
        switch line {
        case .nothing: return true
        case .clear:
            if Terminal.obeysSequences { Terminal.write("\u{1B}[H\u{1B}[2J") }
            return true
        case .request(let request):
            let reply = try reply(to: request)
            let fields = try fields(request, of: reply)
            shown { () throws(CommandError) in try answers.show(request, reply.rows, reply.final, fields) }
            if reply.refusal?.code == .syntax { try stayOpen() }
            return !(reply.isDone && PromptLine.verb(of: request) == .follow(.quit))
        }
    }

    /// Returns the fields of the declared model whose rows a reply has; nil for other replies.
    private func fields(_ request: String, of reply: StoreReply) throws(ClientError) -> ModelFields? {
        guard !invocation.isJSON, PromptLine.verb(of: request) == .read(.list), !reply.rows.isEmpty,
            let model = PromptLine.target(of: request), Kinds.isModel(model)
        else { return nil }
        return ModelFields(try self.reply(to: RequestLine(Verb.read(.models).name, model).text).rows)
    }

    /// Sends a `PING`, since a connection is closed when its first line, or three lines in a row, are not requests.
    private func stayOpen() throws(ClientError) { _ = try reply(to: Verb.read(.ping).name) }

    /// Sends a request and waits for its reply; pushes that come before it are shown.
    private func reply(to request: String) throws(ClientError) -> StoreReply {
        try connection.send(request)
        var rows: [ReplyLine] = []
        while true {
            guard let line = try connection.arrivedLine() else {
                guard !connection.isOver else { throw connection.ending }
                _ = try connection.wait(for: -1)
                editor?.obeyStops()
                continue
            }
            switch line.kind {
            case .row: rows.append(line)
            case .done, .failed: return StoreReply(rows: rows, final: line)
            case .push, .notice: show(line)
            }
        }
    }

    /// Shows a push or a notice.
    private func show(_ line: ReplyLine) {
        let text = Shown.safe(String(decoding: line.line, as: UTF8.self))
        shown { () throws(CommandError) in try invocation.output.line(text) }
    }

    /// Runs `body` and flushes the output; lines that cannot be written to the terminal are lost.
    private func shown(_ body: () throws(CommandError) -> Void) {
        do throws(CommandError) {
            try body()
            try invocation.output.flush()
        } catch {
            Output.complain("the answer cannot be written")
        }
    }
}
