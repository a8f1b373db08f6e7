import Glibc
import StoryClient
import StoryCore
import StoryWire

/// The subcommands that write.
enum Writes {
    static let post = Subcommand(
        CommandDescription(
            name: "post", summary: "adds a user, story, message or photo", operand: .required("KIND"),
            operandChoices: Kinds.names, options: options, takesFields: true, details: formDetails,
            examples: [
                "storectl post users --id 007 --name Aya --email aya@example.org --prefecture 13",
                "storectl post stories --title Hello --message 'A long one' --sender 007 --recipient 008",
                "storectl post photos < photos.ndjson",
            ]),
        run: { invocation throws(CommandError) in try form("POST", invocation) })

    static let edit = Subcommand(
        CommandDescription(
            name: "edit", summary: "revises a user, story or photo", operand: .required("KIND/ID"),
            operandChoices: Kinds.prefixes(of: .write(.edit)), options: options, takesFields: true,
            details: formDetails,
            examples: ["storectl edit stories/12345 --title 'A better title' --version 3"]),
        run: { invocation throws(CommandError) in try form("EDIT", invocation) })

    static let like = Subcommand(
        CommandDescription(
            name: "like", summary: "lets a user like a story", operand: .required("stories/ID"),
            operandChoices: Kinds.prefixes(of: .write(.like)), options: options, takesFields: true,
            details: formDetails,
            examples: ["storectl like stories/12345 --user 007"]),
        run: { invocation throws(CommandError) in try form("LIKE", invocation) })

    static let unlike = Subcommand(
        CommandDescription(
            name: "unlike", summary: "takes a like back", operand: .required("stories/ID"),
            operandChoices: Kinds.prefixes(of: .write(.unlike)), options: options, takesFields: true,
            details: formDetails,
            examples: ["storectl unlike stories/12345 --user 007"]),
        run: { invocation throws(CommandError) in try form("UNLIKE", invocation) })

    static let see = Subcommand(
        CommandDescription(
            name: "see", summary: "marks a message as seen", operand: .required("messages/ID"),
            operandChoices: Kinds.prefixes(of: .write(.see)), options: options,
            examples: ["storectl see messages/9876"]),
        run: { invocation throws(CommandError) in try plain("SEE", invocation) })

    static let delete = Subcommand(
        CommandDescription(
            name: "delete", summary: "deletes a story, message or photo; its history stays readable",
            operand: .required("KIND/ID"), operandChoices: Kinds.prefixes(of: .write(.delete)), options: options,
            examples: ["storectl delete stories/12345 --version 4"]),
        run: { invocation throws(CommandError) in try plain("DELETE", invocation) })

    static let append = Subcommand(
        CommandDescription(
            name: "append", summary: "appends events of your own to a stream of your own", operand: .required("STREAM"),
            options: options + [
                Option("type", "NAME", "the event's type"),
                Option("body", "JSON", "the event's data, one JSON value; kept byte for byte, line ends as spaces"),
                Option("tags", "A,B", "the event's tags"),
            ],
            details: [
                "Without --type, each line of standard input is an event {\"type\":…,\"data\":…} or an array of them.",
                "With * for the stream each event names its own, {\"stream\":…,\"version\":…,\"type\":…,\"data\":…}, and",
                "the events of one line are appended together or not at all. One with stream and version alone is checked.",
            ],
            examples: [
                "storectl append note-1 --type Wrote --body '{\"text\":\"hi\"}'",
                "storectl append note-1 < events.ndjson",
                "storectl append '*' < moves.ndjson",
                "storectl append member-7 --type Joined --body '{}' --tags name:ann --unless '{\"tags\":[\"name:ann\"]}'",
            ]),
        run: appendEvents)

    static let options =
        [
            Option("key", "KEY", "makes the write happen once for ever, however often it is sent"),
            Option("version", "N", "the version that the stream must have now; 0: it must not exist"),
            Option("meta", "JSON", "an object kept beside the event"),
        ] + Kinds.unless

    static let formDetails = [
        "Every other --name value is a field of the form. Without any, each line of standard input is a form (NDJSON);",
        "empty lines and those that begin with # are skipped.",
    ]

    /// Sends a request with a form, from flags or from standard input.
    static func form(_ verb: String, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        let request = try line(verb, invocation, withMeta: true)
        if let form = FormFields.json(invocation.arguments, besides: options) {
            return try send(request.with(json: form), invocation)
        }
        let field = verb.hasSuffix("LIKE") ? "--user 12345" : "--title \"A title\""
        return try sendInput(request, invocation, missing: "fields like \(field)")
    }

    /// Sends a request without a form.
    static func plain(_ verb: String, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        try send(try line(verb, invocation, withMeta: true).text, invocation)
    }

    /// Appends events, from flags or from standard input.
    static func appendEvents(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let arguments = invocation.arguments
        let request = try line("APPEND", invocation, withMeta: false)
        guard let type = arguments.value("type") else {
            guard !["body", "meta", "tags"].contains(where: arguments.has) else {
                throw .usage("--body, --meta and --tags need --type; without it the events come from standard input")
            }
            return try sendInput(request, invocation, missing: "--type and --body")
        }
        guard arguments.operands.first != "*" else {
            throw .usage("append '*' takes its events from standard input, where each names its stream")
        }
        guard arguments.has("body") else { throw .usage("append --type needs the event's data as well: --body JSON") }
        var event = "{\"type\":\(JSONText.quoted(type))"
        for (option, member) in [("body", "data"), ("meta", "meta")] {
            guard let json = try json(option, arguments) else { continue }
            event += ",\"\(member)\":\(json)"
        }
        if let tags = arguments.value("tags") {
            let names = tags.split(separator: ",", omittingEmptySubsequences: false).map { JSONText.quoted(String($0)) }
            event += ",\"tags\":[\(names.joined(separator: ","))]"
        }
        return try send(request.with(json: event + "}"), invocation)
    }

    private static func line(
        _ verb: String, _ invocation: Invocation, withMeta: Bool
    ) throws(CommandError) -> RequestLine {
        let isOfOneRow = !["APPEND", "POST"].contains(verb)
        let target = try isOfOneRow ? Kinds.row(invocation.arguments) : invocation.arguments.operands.first
        var request = RequestLine(verb, target)
        for option in options where option.name != "meta" { request.add(option.name, from: invocation.arguments) }
        if withMeta, let meta = try json("meta", invocation.arguments) { request.add("meta", meta) }
        return request
    }

    /// Returns the JSON value of an option, on one line; nil when the option is not given.
    private static func json(_ option: String, _ arguments: Arguments) throws(CommandError) -> String? {
        guard let text = arguments.value(option) else { return nil }
        do throws(Failure) {
            _ = try JSONValue.read(Array(text.utf8))
        } catch {
            throw .usage("--\(option) is no JSON value: \(error.sentence)")
        }
        // Line ends occur only between tokens of JSON: within a string they are escaped.
        return String(decoding: text.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }

    private static func send(_ request: String, _ invocation: Invocation) throws(CommandError) -> ExitCode {
        try invocation.answers.receipt(try invocation.ask(request, writes: true).final)
        return .done
    }

    /// Sends one request for each line of standard input, pipelined.
    private static func sendInput(
        _ request: RequestLine, _ invocation: Invocation, missing: String
    ) throws(CommandError) -> ExitCode {
        guard isatty(STDIN_FILENO) == 0 else {
            throw .usage("give \(missing), or one JSON object a line on standard input")
        }
        let input = InputLines(
            request.text, isKeyed: invocation.arguments.has("key"), takesArrays: invocation.arguments.verb == "append")
        var run = PipeRun(invocation, showsEach: true, request: input.request)
        let code = try run.finish()
        guard run.summary.requests > 0 || input.code != .done else {
            throw .usage("nothing was given; give \(missing), or one JSON object a line on standard input")
        }
        return code.worse(input.code)
    }
}

/// The conversion of JSON lines into requests: each is a form or events, and cannot be anything else.
private final class InputLines {
    /// The text before each line.
    private let prefix: [UInt8]
    /// True when the request has a key, which only one write can have.
    private let isKeyed: Bool
    /// True when a line may be an array.
    private let takesArrays: Bool
    private var lineNumber = 0
    private var requests = 0
    /// The exit code for the lines that were not sent.
    private(set) var code = ExitCode.done

    init(_ request: String, isKeyed: Bool, takesArrays: Bool) {
        prefix = Array((request + " ").utf8)
        self.isKeyed = isKeyed
        self.takesArrays = takesArrays
    }

    /// Returns the request of a line; nil for a line that is skipped, or is wrong and was reported.
    func request(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        lineNumber += 1
        // Other systems end lines with CR LF.
        guard let json = RequestPipe.plainRequest(line.last == 0x0D ? line.dropLast() : line) else { return nil }
        guard !json.starts(with: "\u{FEFF}".utf8) else {
            return refuse("the line begins with a byte order mark: remove it")
        }
        let text = json.drop { $0 == 0x20 || $0 == 0x09 }
        guard text.first == 0x7B || takesArrays && text.first == 0x5B else {
            return refuse("this is no JSON object: \(String(decoding: text.prefix(60), as: UTF8.self))")
        }
        do throws(Failure) {
            _ = try JSONValue.read(json)
        } catch {
            return refuse(error.sentence)
        }
        guard !isKeyed || requests == 0 else {
            return refuse("--key is for one write; send this line with a key of its own")
        }
        requests += 1
        return prefix + json
    }

    private func refuse(_ sentence: String) -> [UInt8]? {
        Output.complain("line \(lineNumber): \(sentence)")
        code = .unusable
        return nil
    }
}

extension Failure {
    /// The failure of a text that a person wrote, with the column where reading stopped.
    fileprivate var sentence: String {
        if case .column(let column) = detail { "\(message) (column \(column))" } else { message }
    }
}
