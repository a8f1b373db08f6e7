import Foundation
import TestSupport
import Testing

/// The examples of the documents are sent to a new store, in their order, and it answers what is printed there.
///
/// Times, names of histories, cursors, paths, durations, sizes and users may differ, and `…` stands for anything, on a
/// line of its own for any rows. A failure shows the answer, to be copied into the document where it is the right one.
@Suite(.timeLimit(.minutes(2))) struct DocumentTests {
    @Test func `every example of the protocol is answered as printed`() throws {
        let document = Document("docs/protocol.md")
        let daemon = try RunningDaemon()
        var session = try ExampleSession(daemon)
        for exchange in document.exchanges(isRequest: { $0.hasPrefix("> ") }) { try session.play(exchange) }
        expect(session.count > 60)
    }

    @Test func `README's minute is as printed, on the socket and with the tool`() throws {
        let document = Document("README.md")
        let daemon = try RunningDaemon()
        var session = try ExampleSession(daemon)
        for exchange in document.exchanges(isRequest: Document.isTyped) { try session.play(exchange) }
        expect(session.count == 10)
        let commands = document.exchanges { $0.hasPrefix("$ storectl ") }
        expect(commands.count == 6)
        for command in commands { try check(command, against: daemon) }
    }

    @Test func `the first model of docs/models.md comes out behind README's minute, and so does its case`() throws {
        let daemon = try RunningDaemon()
        var session = try ExampleSession(daemon)
        let minute = Document("README.md")
        for exchange in minute.exchanges(isRequest: Document.isTyped) { try session.play(exchange) }
        for command in minute.exchanges(isRequest: { $0.hasPrefix("$ storectl ") }) {
            try check(command, against: daemon)
        }
        let (folder, models) = (try Scratch(), Document("docs/models.md"))
        for (name, language) in [("sales.model", "text"), ("cases.json", "json")] {
            try Files.write(try require(models.texts(of: language).first), to: folder.place(name))
        }
        let commands = models.exchanges(of: "console") { $0.hasPrefix("$ storectl ") }
        expect(commands.count == 9)
        for command in commands where !command.request.contains(" tail ") {
            try check(command, against: daemon, in: folder.path)
        }
        let past = try daemon.storectl("get", "sales/7", "--at", "8").output
        expect(past.contains(#/\ntotal +12\.5\n/#), "\(past)")
        let tested = try daemon.storectl("model", "test", folder.place("cases.json"))
        expect(tested.output == "1 case, 0 differences\n", "\(tested.output) \(tested.errors)")
    }

    /// Runs a command on a terminal of 100 columns; where no lines are printed, it must exit with 0.
    private func check(_ command: Exchange, against daemon: RunningDaemon, in working: String = "/") throws {
        let folder = URL(filePath: try Program.path("storectl")).deletingLastPathComponent().path
        let environment = ["PATH=\(folder):/usr/bin:/bin", "STORED_SOCKET=\(daemon.socket)", "TERM=xterm"]
        let terminal = try Pseudoterminal(
            ["/bin/sh", "-c", "cd '\(working)' && \(command.request.dropFirst(2))"], environment: environment,
            columns: 100)
        let exit = try terminal.wait()
        guard !command.replies.isEmpty else {
            expect(exit == 0, "\(command.request)\n\(terminal.screen)")
            return
        }
        let shown = terminal.screen.replacing(#/\e\[[0-9;]*m/#, with: "").split(separator: "\r\n")
            // A carriage return begins the line again, as progress does.
            .map { line in String(line.split(separator: "\r").last ?? "") }.filter { !$0.isEmpty }
        let isAsPrinted =
            shown.count == command.replies.count
            && zip(command.replies, shown).allSatisfy { ExamplePattern($0).matches($1) }
        expect(isAsPrinted, "\(command.request)\n\(shown.joined(separator: "\n"))")
    }
}

/// A request of a document and the lines that are printed below it.
struct Exchange {
    let request: String
    var replies: [String] = []
}

/// A document's examples: the lines between three backquotes.
private struct Document {
    /// The examples, each with its language; a block with a language is a program's text.
    private let parts: [(language: String, text: String)]

    init(_ name: String) {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let parts = Files.text(root.appending(path: name).path).components(separatedBy: "\n```")
        self.parts = stride(from: 1, to: parts.count, by: 2).map { number in
            let language = parts[number].prefix { $0 != "\n" }
            return (String(language), String(parts[number].dropFirst(language.count + 1)))
        }
    }

    /// The texts of the examples in a language.
    func texts(of language: String) -> [String] { parts.filter { $0.language == language }.map(\.text) }

    /// True for a line that begins with a verb, as it is typed at `nc`.
    static func isTyped(_ line: String) -> Bool { line.prefixMatch(of: #/[A-Z]+( |$)/#) != nil }

    /// The requests in their order. Lines above a block's first request are left out.
    func exchanges(of language: String = "", isRequest: (String) -> Bool) -> [Exchange] {
        texts(of: language).flatMap { text in
            var exchanges: [Exchange] = []
            for line in text.split(separator: "\n").map(String.init) {
                if isRequest(line) {
                    exchanges.append(Exchange(request: line))
                } else if !exchanges.isEmpty {
                    exchanges[exchanges.count - 1].replies.append(line)
                }
            }
            return exchanges
        }
    }
}

/// A conversation with a store in which the examples are sent.
private struct ExampleSession {
    private let socket: LineSocket
    private let folder: Scratch
    /// What stands here for a time or a cursor of the document.
    private var actual: [String: String] = [:]
    private(set) var count = 0

    init(_ daemon: RunningDaemon) throws {
        socket = try daemon.client()
        folder = try Scratch()
    }

    /// Sends a request and compares its replies; where none are printed, it must be carried out.
    mutating func play(_ exchange: Exchange) throws {
        count += 1
        let request = sent(exchange.request)
        guard !exchange.replies.isEmpty else {
            expect(try socket.ask(request).hasPrefix("+"), "\(request)")
            return
        }
        socket.send(request)
        var isPassingOver = false
        for printed in exchange.replies {
            guard printed != "…" else {
                isPassingOver = true
                continue
            }
            var line = try socket.line()
            while isPassingOver, line.hasPrefix("="), !ExamplePattern(printed).matches(line) {
                line = try socket.line()
            }
            isPassingOver = false
            expect(ExamplePattern(printed).matches(line), "\(request)\n\(line)")
            let pairs = zip(printed.matches(of: ExamplePattern.varying), line.matches(of: ExamplePattern.varying))
            for (old, new) in pairs { actual[String(old.output)] = String(new.output) }
        }
    }

    /// The request with the times and cursors of this conversation.
    private func sent(_ request: String) -> String {
        let line = request.hasPrefix("> ") ? String(request.dropFirst(2)) : request
        return line.replacing(ExamplePattern.varying) { actual[String($0.output)] ?? String($0.output) }
            .replacing("/tmp/story-backup", with: folder.place("backup"))
    }
}

/// What a printed line stands for.
private struct ExamplePattern {
    /// A time, or a cursor.
    nonisolated(unsafe) static let varying = #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|\b[A-Za-z0-9_-]{22,24}\b/#

    private let pieces: [String]

    init(_ printed: String) {
        pieces = ExamplePattern.steady(printed).components(separatedBy: "…")
    }

    /// True when the line has the pieces between the dots, in their order, and begins and ends with the outer ones.
    func matches(_ line: String) -> Bool {
        var rest = ExamplePattern.steady(line)[...]
        guard let first = pieces.first, let last = pieces.last, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        if pieces.count == 1 { return rest.isEmpty }
        for piece in pieces.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// The line without what differs from run to run.
    private static func steady(_ line: String) -> String {
        line.replacing(varying, with: "T").replacing(#/in [0-9.]+ s:/#, with: "in N s:")
            .replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}/#, with: "T")
            .replacing(#/\b[0-9a-f]{32}\b/#, with: "H")
            .replacing(#/"durable":"[a-z]+"/#, with: "DURABLE")
            .replacing(#/"(by|uid)":[0-9]+/#) { "\"\($0.output.1)\":0" }
            .replacing(#/"(p50us|p99us|p999us|log|models|memory|clients|buffered|eventsPerSecond)":[0-9.]+/#) {
                "\"\($0.output.1)\":0"
            }
            .replacing(#/"(checkpointed|checkpoints|uptime|client|pid|idle|received|sent|waiting)":[0-9.]+/#) {
                "\"\($0.output.1)\":0"
            }
            .replacing(#/(in|ms=)[ ]?[0-9]+( ms)?|[0-9]+ events\/s/#, with: "N")
            .replacing(#/"\/tmp\/[^"]*"/#, with: "PATH")
            .replacing(#/\/tmp\/[^" ]*/#, with: "PATH")
    }
}
