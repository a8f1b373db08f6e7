import Glibc
import StoryBrowser
import StoryClient
import StoryCore
import StoryWire

/// A conversation with the store at the terminal.
final class Prompt {
    static let subcommand = Subcommand(
        name: "prompt", summary: "takes requests of the protocol, line by line; what storectl does on a terminal",
        operand: .none,
        details: [
            "Tab completes verbs, kinds, options, fields and values; the arrows go through what was asked before.",
            "What subscriptions push is shown as it comes. Ctrl-D or QUIT ends it. HELP lists the verbs.",
        ],
        examples: ["storectl", "storectl prompt --socket PATH"],
        run: { invocation throws(CommandError) in
            let prompt = Prompt(invocation, try invocation.connect())
            return try prompt.run()
        })

    private let invocation: Invocation
    private let connection: StoreConnection
    private let answers: PromptAnswers

    init(_ invocation: Invocation, _ connection: StoreConnection) {
        self.invocation = invocation
        self.connection = connection
        answers = PromptAnswers(invocation)
    }

    /// The verb of a command line without one: on a terminal this one.
    static func verb(_ arguments: Arguments) -> String? {
        Terminal.isConversation && !arguments.has("help") ? subcommand.name : nil
    }

    func run() throws(CommandError) -> ExitCode {
        guard Terminal.isConversation else {
            throw .usage("prompt is for a terminal; send lines with \"storectl pipe\"")
        }
        let members = ShownJSON(connection.greeting)?.members
        Output.complain(
            raw: "\(members?["server"]?.shown ?? "a store") at \(connection.address.path), position "
                + "\(members?["position"]?.shown ?? "?"); HELP lists the verbs, Tab completes, Ctrl-D ends")
        let editor = LineEditor(history: LineEditor.historyPath)
        defer { editor.end() }
        do throws(StoreError) {
            try converse(editor)
        } catch {
            guard error != .interrupted else { return .interrupted }
            throw .store(error)
        }
        return .done
    }

    private func converse(_ editor: LineEditor) throws(StoreError) {
        editor.begin()
        while true {
            while let line = try connection.arrivedLine() { editor.interrupt { show(line) } }
            guard !connection.isOver else { throw connection.ending }
            guard try connection.wait(for: STDIN_FILENO) else { continue }
            switch editor.readKey() {
            case .typing: break
            case .line(let line):
                if try !ask(line) { return }
                editor.begin()
            case .end: return
            }
        }
    }

    /// Sends a line and shows what it is answered with; false when that was the last.
    private func ask(_ line: String) throws(StoreError) -> Bool {
        let request = line.trimmingSpaces
        guard !request.isEmpty, !request.hasPrefix("#") else { return true }
        try connection.send(request)
        var rows: [ReplyLine] = []
        while true {
            if let line = try connection.arrivedLine() {
                switch line.kind {
                case .row: rows.append(line)
                case .done, .failed:
                    shown { () throws(CommandError) in try answers.show(request, rows, line) }
                    return request.uppercased() != Verb.quit.rawValue
                case .push, .notice: show(line)
                }
            } else {
                guard !connection.isOver else { throw connection.ending }
                _ = try connection.wait(for: -1)
            }
        }
    }

    /// Shows what was not asked for.
    private func show(_ line: ReplyLine) {
        let text = Shown.safe(String(decoding: line.line, as: UTF8.self))
        shown { () throws(CommandError) in try invocation.output.line(text) }
    }

    /// What cannot be written to a terminal is lost with the terminal.
    private func shown(_ body: () throws(CommandError) -> Void) {
        do throws(CommandError) {
            try body()
            try invocation.output.flush()
        } catch {
            Output.complain("the answer cannot be written")
        }
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
