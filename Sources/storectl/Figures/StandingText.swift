import StoryBrowser
import StoryCore

/// The part that a store has among the stores of its history, as `stats` and `top` show it.
struct StandingText: Equatable, Sendable {
    /// The silence from which on it is shown though the distance is known, in seconds.
    private static let longSilence = 5.0

    /// The name of the log and of the node; nil at a replica.
    let log: String?
    let node: String?
    let state: String
    let leader: String?
    /// The address of a replica's source.
    let address: String?
    /// The number of events that are lacked; nil where it is not known.
    let lag: UInt64?
    /// The seconds since the source or etcd sent anything; nil at an older daemon.
    let silence: Double?

    /// The text on one line.
    var text: String { ([standing] + (lead.map { [$0] } ?? []) + [distance]).joined(separator: ", ") }

    private var standing: String {
        guard let node else { return "replica of \(address ?? "?"), \(state)" }
        return "node \(node) of \(log ?? "?"), \(state)"
    }

    private var lead: String? {
        guard let node else { return nil }
        guard let leader else { return "no node leads" }
        // Where etcd does not answer, the lead may have gone over meanwhile.
        return leader == node ? nil : "\(leader) \(isSilent ? "led" : "leads")"
    }

    /// True where nothing has come for long from the source or etcd.
    private var isSilent: Bool { silence.map { $0 >= StandingText.longSilence } ?? false }

    private var distance: String {
        let events = lag.map { "\($0) \($0 == 1 ? "event" : "events") behind" } ?? "lag unknown"
        guard let silence, lag == nil || isSilent else { return events }
        return "\(events), \(node == nil ? "it is " : "etcd is ")silent for \(Units.time(seconds: silence.rounded()))"
    }
}

extension StandingText {
    /// Reads the member `cluster` of `STATS`; nil at a store of its own.
    init?(_ members: [String: ShownJSON]) {
        guard let state = members["state"]?.shown else { return nil }
        self.init(
            log: members["log"]?.shown, node: members["node"]?.shown, state: state, leader: members["leader"]?.shown,
            address: members["address"]?.shown, lag: members["lag"]?.whole,
            silence: members["silence"].flatMap { Double($0.json) })
    }
}

/// The conditions of a daemon, as `stats` and `cluster` show them.
enum ConditionText {
    /// Returns a line for each condition, with what this program knows of it, red where writes are not possible.
    static func lines(_ names: [String]) -> [Line] {
        names.map { name in
            let condition = StoreCondition(rawValue: name)
            return Line(
                condition.map { "\(name): \($0.sentence)" } ?? name, condition?.gravity == .critical ? .red : .yellow)
        }
    }

    /// Returns the names of a member `conditions`.
    static func names(_ member: ShownJSON?) -> [String] { member?.fields.map { $0.value.plain } ?? [] }
}
