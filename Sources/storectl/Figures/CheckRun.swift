import StoryClient

/// A check of the store's health as a plugin of Nagios and its like: one line, and an exit code from 0 to 3.
enum CheckRun {
    static let name = "check"

    static let subcommand = Subcommand(
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
            "NAME is lag (events that the slowest subscription is behind), ping (seconds) or disk (free bytes).",
            "No answer, and a disk that is full, are critical; each other condition of the daemon is a warning.",
            "A certificate of the daemon is a warning from 14 days before its end on, and critical after it.",
            "Exit: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN: a wrong option, or a peer that may not connect.",
        ],
        examples: ["storectl check", "storectl check --warning lag=1000 --critical disk=1000000000"],
        run: run)

    /// Returns true when the words ask for this plugin, whose exit codes differ from the tool's.
    static func isMeant(_ words: [String]) -> Bool {
        let read = try? Arguments(words, switches: SubcommandTable.switches, repeated: SubcommandTable.repeated)
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
        case .store(.refused(let refusal)):
            return tell(refusal.code == .denied ? .unknown : .critical, refusal.sentence)
        case .store(let error): return tell(.critical, "\(error)")
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
            try output.line("STORYKEEP \(verdict.word) - \(text)")
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
    case lag, ping, disk

    /// True when smaller values are worse.
    var isLeast: Bool { self == .disk }
}

/// The limits beyond which a figure is a warning, or critical.
struct CheckLimits {
    private var warning: [CheckedFigure: Double] = [.lag: 10_000, .ping: 0.1]
    private var critical: [CheckedFigure: Double] = [.lag: 100_000, .ping: 1]

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
                throw .usage("--\(option) is lag=N, ping=SECONDS or disk=BYTES, not \"\(text)\"")
            }
            limits[figure] = limit
        }
    }

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
        guard warning[figure] != nil || critical[figure] != nil else { return "" }
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
        let disk = samples["storykeep_disk_free_bytes"] ?? 0
        let lag = samples["storykeep_slowest_subscription_lag_events"] ?? 0
        let values: [(CheckedFigure, Double, String)] = [
            (.lag, lag, ""), (.ping, (ping * 10_000).rounded() / 10_000, "s"), (.disk, disk, "B"),
        ]
        var (worst, reasons) = (CheckVerdict.ok, [String]())
        for (condition, verdict) in CheckResult.conditions(samples) {
            reasons.append(condition)
            worst = max(worst, verdict)
        }
        if let (reason, verdict) = CheckResult.certificate(samples) {
            reasons.append(reason)
            worst = max(worst, verdict)
        }
        for (figure, value, unit) in values {
            let verdict = limits.verdict(figure, value)
            guard verdict > .ok else { continue }
            reasons.append("\(figure.rawValue) \(CheckLimits.spelled(value))\(unit)")
            worst = max(worst, verdict)
        }
        let position = CheckLimits.spelled(samples["storykeep_log_position"] ?? 0)
        let clients = samples.filter { $0.key.hasPrefix("storykeep_connections{") }.values.reduce(0, +)
        let facts = "position \(position), \(CheckLimits.spelled(clients)) \(clients == 1 ? "client" : "clients")"
        let figures = values.map { "\($0.0.rawValue)=\(CheckLimits.spelled($0.1))\($0.2)\(limits.told($0.0))" }
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

    /// Returns the conditions that hold, with the verdict on each.
    static func conditions(_ samples: [String: Double]) -> [(String, CheckVerdict)] {
        let prefix = "storykeep_condition{condition=\""
        return samples.filter { $0.key.hasPrefix(prefix) && $0.value > 0 }.keys.sorted().map { key in
            let name = String(key.dropFirst(prefix.count).dropLast(2))
            return (name, name == "full" || name == "flush-failed" ? .critical : .warning)
        }
    }
}
