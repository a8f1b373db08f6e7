import StoryBrowser
import StoryClient
import StoryCore

/// A check of the store's health as a plugin of Nagios and its like: one line, and an exit code from 0 to 3.
enum CheckRun {
    static let name = "check"

    static let subcommand = Subcommand(
        CommandDescription(
            name: name, summary: "checks the daemon's health, as a plugin of Nagios and its like", operand: .none,
            options: [
                Option(
                    "warning", "NAME=N", "warns above N, of disk below; may be given again", isRepeated: true,
                    choices: CheckedFigure.allCases.map { "\($0.rawValue)=" }),
                Option(
                    "critical", "NAME=N", "is critical above N, of disk below; may be given again", isRepeated: true,
                    choices: CheckedFigure.allCases.map { "\($0.rawValue)=" }),
            ],
            details: [
                "NAME is lag (events that the slowest subscription is behind), behind (events that a replica or a node lacks),",
                "silence (seconds since a replica's source, or a node's etcd, sent anything), ping (seconds), disk (free bytes), misfits",
                "(events that did not fit a declared model), cursors (events that the slowest cursor of a worker is behind), parked",
                "(events that workers set aside) or find (events whose words are not yet in the index that searches read).",
                "The last four have no limits of their own: --warning misfits=0 looks at them.",
                "No answer, and each condition of the daemon in which writes are not possible, are critical; the other",
                "conditions are warnings. storectl stats says of each what it is.",
                "A certificate of the daemon is a warning from 14 days before its end on, and critical after it.",
                "Exit: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN: a wrong option, or a peer that may not connect.",
            ],
            examples: ["storectl check", "storectl check --warning lag=1000 --critical disk=1000000000"]),
        run: run)

    /// Returns true when the words ask for this plugin, whose exit codes differ from the tool's.
    static func isMeant(_ words: [String], _ grammar: Arguments.Grammar) -> Bool {
        let read = try? Arguments(words, grammar)
        // Words that cannot be read have no verb, and a check reports that as well.
        return read.map { $0.verb == name } ?? words.contains(name)
    }

    /// Reports the reason why there is no result.
    static func report(_ error: CommandError) -> ExitCode {
        switch error {
        case .usage(let sentence): return tell(.unknown, sentence)
        case .refused(let refusal, _):
            let isUnknown = refusal.code == .denied || refusal.code == .unknown
            return tell(isUnknown ? .unknown : .critical, refusal.sentence)
        case .store(let error): return tell(error.code == .denied ? .unknown : .critical, error.sentence)
        case .system(let sentence), .full(let sentence): return tell(.unknown, sentence)
        case .silent(let code): return code
        }
    }

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let limits = try CheckLimits(invocation.arguments)
        let answerer = Answerer(try invocation.connect())
        let began = ContinuousClock.now
        _ = try answerer.ask("PING")
        let ping = (ContinuousClock.now - began).inSeconds
        let result = CheckResult(MetricsText(try MetricsRun.ask(answerer)).samples, ping: ping, limits)
        return tell(result.verdict, result.line)
    }

    private static func tell(_ verdict: CheckVerdict, _ text: String) -> ExitCode {
        let output = Output()
        do throws(CommandError) {
            // The text must be one line without a bar, since a bar would begin the figures.
            var line = Line("STORYKEEP ")
            line.add(verdict.word, verdict.style)
            line.add(" - \(text)")
            try output.line(line)
            try output.flush()
        } catch {
            return CheckVerdict.unknown.exitCode
        }
        return verdict.exitCode
    }
}

/// The verdict of a check; graver ones are greater.
enum CheckVerdict: Int, Comparable {
    case ok, warning, critical, unknown

    var word: String {
        switch self {
        case .ok: "OK"
        case .warning: "WARNING"
        case .critical: "CRITICAL"
        case .unknown: "UNKNOWN"
        }
    }

    var style: Style {
        switch self {
        case .ok: .green
        case .warning, .unknown: .yellow
        case .critical: .red
        }
    }

    /// The exit code of a plugin, whose number means something else for the other verbs.
    var exitCode: ExitCode {
        switch self {
        case .ok: .done
        case .warning: .no
        case .critical: .unusable
        case .unknown: .denied
        }
    }

    static func < (left: CheckVerdict, right: CheckVerdict) -> Bool { left.rawValue < right.rawValue }
}

/// A figure that a check compares with limits.
enum CheckedFigure: String, CaseIterable {
    case lag, behind, silence, ping, disk, misfits, cursors, parked, find

    /// The example of a limit in sentences.
    var example: String {
        switch self {
        case .lag, .behind, .misfits, .cursors, .parked, .find: "\(rawValue)=N"
        case .silence, .ping: "\(rawValue)=SECONDS"
        case .disk: "\(rawValue)=BYTES"
        }
    }

    /// The unit in the figures of a plugin.
    var unit: String {
        switch self {
        case .lag, .behind, .misfits, .cursors, .parked, .find: ""
        case .silence, .ping: "s"
        case .disk: "B"
        }
    }

    /// True when smaller values are worse.
    var isLeast: Bool { self == .disk }
}

/// The limits beyond which a figure is a warning, or critical.
struct CheckLimits {
    private var warning: [CheckedFigure: Double] = [.lag: 10_000, .behind: 10_000, .silence: 15, .ping: 0.1]
    private var critical: [CheckedFigure: Double] = [.lag: 100_000, .behind: 100_000, .silence: 60, .ping: 1]

    init(_ arguments: Arguments) throws(CommandError) {
        try CheckLimits.read("warning", arguments, into: &warning)
        try CheckLimits.read("critical", arguments, into: &critical)
    }

    private static func read(
        _ option: String, _ arguments: Arguments, into limits: inout [CheckedFigure: Double]
    ) throws(CommandError) {
        for text in arguments.values(option) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let figure = CheckedFigure(rawValue: String(parts[0])),
                let limit = Double(parts[1]),
                limit.isFinite, limit >= 0
            else {
                let examples = CheckedFigure.allCases.map(\.example)
                let list = examples.dropLast().joined(separator: ", ") + " or " + (examples.last ?? "")
                throw .usage("--\(option) is \(list), not \"\(text)\"")
            }
            limits[figure] = limit
        }
    }

    /// True where a figure has a limit.
    func has(_ figure: CheckedFigure) -> Bool { warning[figure] != nil || critical[figure] != nil }

    /// Returns the verdict on a value.
    func verdict(_ figure: CheckedFigure, _ value: Double) -> CheckVerdict {
        func isBeyond(_ limit: Double?) -> Bool {
            guard let limit else { return false }
            return figure.isLeast ? value < limit : value > limit
        }
        if isBeyond(critical[figure]) { return .critical }
        return isBeyond(warning[figure]) ? .warning : .ok
    }

    /// Returns the limits as a plugin's figures show them: `;10000;100000`, empty when there are none.
    func told(_ figure: CheckedFigure) -> String {
        guard has(figure) else { return "" }
        return ";"
            + [warning[figure], critical[figure]].map { limit in
                limit.map { CheckLimits.spelled($0) + (figure.isLeast ? ":" : "") } ?? ""
            }.joined(separator: ";")
    }

    static func spelled(_ value: Double) -> String {
        value == value.rounded() && value < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}

/// The result of a check: its verdict, and its line.
struct CheckResult {
    let verdict: CheckVerdict
    let line: String

    /// Compares the daemon's figures with the limits.
    ///
    /// - Parameters:
    ///   - samples: the daemon's figures.
    ///   - ping: the duration of a request, in seconds.
    init(_ samples: [String: Double], ping: Double, _ limits: CheckLimits) {
        let values = CheckResult.values(samples, ping: ping, limits)
        var (worst, reasons) = (CheckVerdict.ok, [String]())
        for (condition, isGrave) in MetricsText.conditions(samples) {
            reasons.append(condition)
            worst = max(worst, isGrave ? .critical : .warning)
        }
        if let (reason, verdict) = CheckResult.certificate(samples) {
            reasons.append(reason)
            worst = max(worst, verdict)
        }
        for (figure, value) in values {
            guard let value, case let verdict = limits.verdict(figure, value), verdict > .ok else { continue }
            reasons.append("\(figure.rawValue) \(CheckLimits.spelled(value))\(figure.unit)")
            worst = max(worst, verdict)
        }
        let position = CheckLimits.spelled(samples["storykeep_log_position"] ?? 0)
        let clients = samples.filter { $0.key.hasPrefix("storykeep_connections{") }.values.reduce(0, +)
        let facts = "position \(position), \(CheckLimits.spelled(clients)) \(clients == 1 ? "client" : "clients")"
        let figures = values.map { figure, value in
            let shown = value.map { CheckLimits.spelled($0) + figure.unit } ?? "U"
            return "\(figure.rawValue)=\(shown)\(limits.told(figure))"
        }
        verdict = worst
        line =
            (reasons + [facts]).joined(separator: ", ") + " | position=\(position)c " + figures.joined(separator: " ")
    }

    /// Returns the verdict on a certificate of the daemon that is about to expire, or has; nil where it has none, or a
    /// longer time.
    private static func certificate(_ samples: [String: Double]) -> (String, CheckVerdict)? {
        let day = 86_400.0
        guard let seconds = samples["storykeep_certificate_seconds"], seconds < 14 * day else { return nil }
        guard seconds > 0 else { return ("the certificate has expired", .critical) }
        return ("the certificate expires in \(Int(seconds / day)) days", .warning)
    }

    /// Returns the number of events whose words are not in the index; nil where there is no index.
    private static func wordLag(_ samples: [String: Double]) -> Double? {
        guard let position = samples["storykeep_log_position"], let indexed = samples["storykeep_find_position"] else {
            return nil
        }
        return max(0, position - indexed)
    }

    /// Returns the figures that the store has, in their order; nil for one that it does not know now.
    private static func values(
        _ samples: [String: Double], ping: Double, _ limits: CheckLimits
    ) -> [(CheckedFigure, Double?)] {
        // A store of its own has no such figure.
        let silence = samples["storykeep_replica_silence_seconds"]
        let misfits = Double(MetricsText.misfits(samples).reduce(0) { $0 + $1.count })
        return CheckedFigure.allCases.compactMap { figure -> (CheckedFigure, Double?)? in
            switch figure {
            case .lag: (figure, samples["storykeep_slowest_subscription_lag_events"] ?? 0)
            case .behind: silence == nil ? nil : (figure, samples["storykeep_replica_lag_events"])
            case .silence: silence.map { (figure, $0) }
            case .ping: (figure, (ping * 10_000).rounded() / 10_000)
            case .disk: (figure, samples["storykeep_disk_free_bytes"] ?? 0)
            case .misfits: limits.has(figure) ? (figure, misfits) : nil
            case .cursors: limits.has(figure) ? (figure, samples["storykeep_cursor_lag_events"]) : nil
            case .parked: limits.has(figure) ? (figure, samples["storykeep_cursor_parked_events"]) : nil
            case .find: limits.has(figure) ? (figure, wordLag(samples)) : nil
            }
        }
    }
}
