import TestSupport

/// The lines between the daemon and its clients, with a planted bug.
final class TwistedLines {
    private let bug: PlantedBug
    /// The clients that were told that they have everything, and nothing since.
    private var caughtUp: Set<String> = []

    init(_ bug: PlantedBug) { self.bug = bug }

    /// A request as the daemon gets it.
    func asked(_ line: String) -> String {
        if bug == .minimumIsIgnored { return line.replacing(/\ min=[0-9a-z]+/, with: "") }
        if bug == .queriesAreIgnored { return line.replacing(/\ unless=\[\S+\]/, with: "") }
        guard bug == .versionsAreIgnored else { return line }
        return line.replacing(/\ version=[0-9]+/, with: "").replacing(/"version":[0-9]+,/, with: "")
    }

    /// What a client hears of what it is sent.
    func heard(_ lines: [String], by client: String) -> [String] {
        switch bug {
        case .pushIsLost: return lines.filter { !TwistedLines.isEighth($0) }
        case .pushIsRepeated: return lines.flatMap { TwistedLines.isEighth($0) ? [$0, $0] : [$0] }
        case .eventIsLostAtTheSwitch: return lines.filter { !isFirstBehindMarker($0, client) }
        case .answersChangePlaces:
            var lines = lines
            let answers = lines.indices.filter { lines[$0].hasPrefix("+") }
            if answers.count > 1 { lines.swapAt(answers[0], answers[1]) }
            return lines
        case .figuresAreAhead: return lines.map(TwistedLines.ahead)
        default: return lines
        }
    }

    /// The figures count a row whose event is not durable.
    private static func ahead(_ line: String) -> String {
        guard line.hasPrefix("+"), let count = line.firstMatch(of: /"rows":{"users":([0-9]+)/)?.1 else { return line }
        return line.replacing("\"users\":\(count)", with: "\"users\":\((Int(count) ?? 0) + 1)")
    }

    private static func isEighth(_ line: String) -> Bool {
        line.hasPrefix(">") && line.number("position").map { $0 % 8 == 0 } == true
    }

    private func isFirstBehindMarker(_ line: String, _ client: String) -> Bool {
        guard line.hasPrefix(">") else { return false }
        if line.contains(#"{"caughtUp":"#) {
            caughtUp.insert(client)
            return false
        }
        return line.number("position") != nil && caughtUp.remove(client) != nil
    }
}
