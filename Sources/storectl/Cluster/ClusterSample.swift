import StoryBrowser
import StoryClient

/// The nodes of a log at one moment.
struct ClusterSample {
    static let columns = [
        Column("node", fit: .cut(8)), Column("state"), Column("position"), Column("stored"),
        Column("seen", heading: "seen s ago"), Column("version", fit: .leftOut), Column("address", fit: .cut(8)),
    ]

    private let rows: [ShownJSON]
    private let end: [String: ShownJSON]
    private let time = ContinuousClock.now

    init(_ reply: StoreReply) {
        rows = reply.rows.compactMap { ShownJSON($0.json) }
        end = ShownJSON(reply.final.json)?.members ?? [:]
    }

    private var position: UInt64 { end["position"]?.whole ?? 0 }

    /// Returns the lines of a table of the nodes.
    func table(columns: Int) -> [String] {
        var table = Table(ClusterSample.columns, limit: columns)
        let lines = table.lines(rows)
        return (lines.heading.map { [$0] } ?? []) + lines.rows
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
        end["leader"].map { "\($0.shown) leads in term \(end["term"]?.shown ?? "?")" } ?? "no node leads"
    }

    private func rate(since before: ClusterSample) -> UInt64? {
        let seconds = (time - before.time).inSeconds
        guard position >= before.position, seconds > 0 else { return nil }
        return UInt64((Double(position - before.position) / seconds).rounded())
    }
}
