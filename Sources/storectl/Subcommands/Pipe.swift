import Glibc
import StoryClient
import StoryCore

/// The transfer of standard input, line by line, to the store, with its errors and summary.
struct PipeRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "pipe", summary: "sends request lines from standard input at full speed", operand: .none,
            options: [Option("raw", nil, "prints every line of the replies as it came, first byte and tag included")],
            details: [
                "Lines are requests of the protocol as they are; empty ones and those that begin with # are skipped.",
                "Standard error has every error with its line, and a summary at the end.",
                "It exits with the worst of its requests' codes. Of a list of sockets it takes the first that takes writes.",
                "With --json, standard output has the JSON of every reply, as it came.",
                "Requests without a verb here go this way: PING, SORTS, HELP, CHECKPOINT, VERIFY, BACKUP.",
            ],
            examples: [
                "storectl pipe < requests.lines", "echo VERIFY | storectl --json pipe",
                "storectl pipe --raw < requests.lines",
            ]),
        run: { invocation throws(CommandError) in
            var run = PipeRun(invocation, showsEach: false, request: RequestPipe.plainRequest)
            return try run.finish()
        })

    private let invocation: Invocation
    private let answers: Answers
    /// True to show every reply; otherwise only errors are shown, and with `--json` the replies.
    private let showsEach: Bool
    private let request: (ArraySlice<UInt8>) -> [UInt8]?
    private let began = ContinuousClock.now
    private let progress = Progress("sending", "requests answered")
    private var answered: UInt64 = 0
    private var code = ExitCode.done
    private var failure: CommandError?
    /// The counts of requests and replies.
    private(set) var summary = RequestPipe.Summary()

    init(_ invocation: Invocation, showsEach: Bool, request: @escaping (ArraySlice<UInt8>) -> [UInt8]?) {
        self.invocation = invocation
        answers = invocation.answers
        self.showsEach = showsEach
        self.request = request
    }

    /// Runs to the end of the input.
    mutating func finish() throws(CommandError) -> ExitCode {
        if showsEach || invocation.isJSON || invocation.arguments.has("raw") { LostReader.endsProcess() }
        let connection = try invocation.connect(writes: true)
        let reader = LineReader()
        var pipe = RequestPipe(
            over: connection, from: STDIN_FILENO, isDoubtful: { reader.refusal(of: $0)?.code == .syntax },
            request: request)
        var end: ClientError?
        do throws(ClientError) {
            try pipe.run { take($0) }
        } catch {
            end = error
        }
        summary = pipe.summary
        try invocation.output.flush()
        if !showsEach { tellSummary() }
        if let failure { throw failure }
        guard let end else { return code }
        if summary.unanswered > 0 {
            let requests = summary.unanswered == 1 ? "1 request has" : "\(summary.unanswered) requests have"
            let which = summary.unanswered == 1 ? "it was" : "they were"
            Output.complain("\(requests) no reply: whether \(which) carried out is unknown")
        }
        Output.complain(end.sentence)
        throw .silent(code.worse(ExitCode(end)))
    }

    private mutating func take(_ outcome: RequestPipe.Outcome) {
        guard failure == nil else { return }
        do throws(CommandError) {
            try show(outcome)
        } catch {
            failure = error
        }
        guard outcome.reply.isFinal else { return }
        answered += 1
        if answered % 256 == 0 { progress.show(answered, of: nil) }
    }

    private mutating func show(_ outcome: RequestPipe.Outcome) throws(CommandError) {
        if invocation.arguments.has("raw") { try invocation.output.line(outcome.reply.line) }
        switch outcome.reply.kind {
        case .failed:
            let refusal = Refusal(json: outcome.reply.json)
            code = code.worse(ExitCode(refusal))
            let sentence = showsEach ? Flags.named(in: refusal.sentence) : refusal.sentenceOfLine
            Output.complain("line \(outcome.line): \(sentence)")
            if invocation.isJSON { try invocation.output.line(outcome.reply.json) }
        case .done where showsEach, .row where showsEach: try answers.receipt(outcome.reply)
        case .done, .row, .push: if invocation.isJSON { try invocation.output.line(outcome.reply.json) }
        case .notice: break
        }
    }

    private func tellSummary() {
        let seconds = (ContinuousClock.now - began).inSeconds
        let rate = seconds > 0 ? Int((Double(summary.requests) / seconds).rounded()) : 0
        let rounded = (seconds * 1_000).rounded() / 1_000
        Output.complain(
            raw:
                "\(summary.requests) \(summary.requests == 1 ? "request" : "requests"): \(summary.done) ok, \(summary.failed) failed"
                + (summary.unanswered > 0 ? ", \(summary.unanswered) without a reply" : "")
                + "; \(rounded) s, \(rate) requests/s")
    }
}
