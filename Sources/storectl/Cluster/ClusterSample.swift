import StoryBrowser
import StoryClient
import StoryCore

/// The nodes of a log at one moment.
struct ClusterSample {
    static let columns = [
        Column("node", fit: .cut(8)), Column("state", tone: .state), Column("position"), Column("stored"),
        Column("seen", heading: "seen s ago"), Column("version", fit: .leftOut), Column("address", fit: .cut(8)),
    ]

    private let rows: [ShownJSON]
    private let end: [String: ShownJSON]
    private let time = ContinuousClock.now

    init(_ reply: StoreReply) {
        rows = ClusterSample.rows(of: reply)
        end = ShownJSON(reply.final.json)?.members ?? [:]
    }

    private var position: UInt64 { end["position"]?.whole ?? 0 }

    /// The seconds after which a node is late: it reports each three.
    private static let late = 4.0

    /// Returns the rows for a person: a node that is late is in no state that is known.
    static func rows(of reply: StoreReply) -> [ShownJSON] {
        reply.rows.compactMap { ShownJSON($0.json) }.map { row in
            guard let seen = row.members["seen"].flatMap({ Double($0.json) }) else {
                return row.replacing("state", with: "no word since this node began")
            }
            return seen < late ? row : row.replacing("state", with: "no word for \(Int(seen)) s")
        }
    }

    /// The conditions of the log, a line each.
    var conditions: [Line] { ConditionText.lines(ConditionText.names(end["conditions"])) }

    /// Returns the lines of a table of the nodes.
    func table(columns: Int) -> [Line] {
        var table = Table(ClusterSample.columns, limit: columns)
        let lines = table.lines(rows)
        return (lines.heading.map { [Line($0)] } ?? []) + lines.rows
    }

    /// Returns a sentence about the log: its leader, its end, its rate and its tail.
    ///
    /// - Parameter before: an earlier sample; nil where the rate is unknown.
    func sentence(after before: ClusterSample?) -> String {
        var parts = ["\(end["log"]?.shown ?? "?"): " + lead, "position \(position)"]
        if let rate = before.flatMap({ rate(since: $0) }) { parts.append("\(rate) events/s") }
        if let tail = end["tail"]?.members, let first = tail["first"]?.whole, let bytes = tail["bytes"]?.whole {
            parts.append("etcd has \(Units.bytes(bytes)) from \(first) on")
        }
        return parts.joined(separator: ", ")
    }

    private var lead: String {
        guard let leader = end["leader"]?.shown else { return "no node leads" }
        // Where etcd does not answer, the lead may have gone over meanwhile.
        let isKnown = !ConditionText.names(end["conditions"]).contains(StoreCondition.engineLost.rawValue)
        return "\(leader) \(isKnown ? "leads" : "led") in term \(end["term"]?.shown ?? "?")"
    }

    private func rate(since before: ClusterSample) -> UInt64? {
        let seconds = (time - before.time).inSeconds
        guard position >= before.position, seconds > 0 else { return nil }
        return UInt64((Double(position - before.position) / seconds).rounded())
    }
}

extension ShownJSON {
    /// Returns an object with another text as a member.
    fileprivate func replacing(_ name: String, with text: String) -> ShownJSON {
        let members = fields.map { field in
            JSONText.quoted(field.name) + ":" + (field.name == name ? JSONText.quoted(text) : field.value.json)
        }
        return ShownJSON(Array("{\(members.joined(separator: ","))}".utf8)) ?? self
    }
}
