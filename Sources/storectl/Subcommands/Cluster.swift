import StoryBrowser
import StoryClient
import StoryCore
import StoryWire

/// The subcommand `cluster`: the nodes of a log, and the changes of them.
enum ClusterRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "cluster", summary: "shows the nodes of a log, has one lead, or forgets one",
            operand: .several("status|promote|remove"), operandChoices: Work.allCases.map(\.rawValue),
            secondOperands: [Work.promote, .remove].map { .init(first: $0.rawValue, names: .nodes) },
            options: [Option("watch", nil, "shows them again each second, on a terminal as a page that q ends")]
                + RowLines.options,
            details: [
                "status, or no word, shows each node: its state, the last position that it has and the last one that it has",
                "stored, and how many seconds ago it reported. Where it did not report for four seconds, its state is not known.",
                "In --columns, erased is the position through which the node has carried erasures out.",
                "Below it are the leader, and each condition in which the log is not as it should be.",
                "promote NODE has a node lead that follows; clients wait some milliseconds. remove NODE forgets a node that is",
                "gone for good, so that etcd keeps no events for it; a process that still runs under the name ends.",
                "Any node answers. promote and remove exit with 3 where the node is behind, no node leads, or the change did",
                "not come true. storectl check tells by its exit code whether writes are possible.",
            ],
            examples: ["storectl cluster", "storectl cluster --watch", "storectl cluster promote n2"]),
        run: { invocation throws(CommandError) in
            let words = invocation.arguments.operands
            let word = words.first ?? Work.status.rawValue
            guard let work = Work(rawValue: word) else {
                let nearest = NearestName.hint(word, among: Work.allCases.map(\.rawValue))
                throw .usage("cluster has no \"\(word)\"\(nearest); \(usage)")
            }
            let most = work == .status ? 1 : 2
            if words.count > most { throw .usage("cluster \(word) does not take \"\(words[most])\"; \(usage)") }
            if work == .status { return try status(invocation) }
            guard words.count == 2 else { throw .usage("cluster \(word) needs the name of a NODE; \(usage)") }
            guard !invocation.arguments.has("watch") else {
                throw .usage("--watch is for cluster status; \(usage)")
            }
            return try change(work, of: words[1], invocation)
        })

    /// The work that the first operand names.
    private enum Work: String, CaseIterable {
        case status, promote, remove
    }

    private static let usage = "see \"storectl help cluster\""

    // MARK: Status

    private static func status(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let isPlain = ["json", "csv", "tsv", "columns"].contains(where: invocation.arguments.has)
        return try invocation.watch(ClusterContent(), isDrawn: !isPlain, hasGaps: !invocation.isJSON) {
            (sample, before) throws(CommandError) in try show(sample, after: before, invocation)
        }
    }

    private static func show(
        _ sample: ClusterSample, after before: ClusterSample?, _ invocation: Invocation
    ) throws(CommandError) {
        var lines = try RowLines(invocation, columns: ClusterSample.columns)
        guard !["json", "csv", "tsv"].contains(where: invocation.arguments.has) else {
            try lines.write(sample.reply.rows)
            return invocation.isJSON ? try invocation.output.line(sample.reply.final.json) : ()
        }
        try lines.write(sample.rows)
        try invocation.output.line(sample.sentence(after: before))
        for line in sample.conditions { try invocation.output.line(line) }
    }

    // MARK: Changes

    private static func change(
        _ work: Work, of node: String, _ invocation: Invocation
    ) throws(CommandError) -> ExitCode {
        let reply = try invocation.ask("CLUSTER \(work.rawValue) \(node)", writes: true)
        guard !invocation.isJSON, let members = ShownJSON(reply.final.json)?.members else {
            try invocation.output.line(reply.final.json)
            return .done
        }
        let name = Shown.safe(node)
        let sentence =
            work == .promote ? "\(name) leads, in term \(members["term"]?.shown ?? "?")" : "\(name) is forgotten"
        try invocation.output.line(sentence)
        return .done
    }
}

/// The page of `cluster --watch`.
private struct ClusterContent: WatchedContent {
    let verb = "cluster --watch"
    let instead = "cluster"
    let keys = "q quit"
    private var before: ClusterSample?
    private var sample: ClusterSample?

    func sample(_ store: Answerer) throws(CommandError) -> ClusterSample { ClusterSample(try store.ask("CLUSTER")) }

    mutating func add(_ sample: ClusterSample) { (before, self.sample) = (self.sample, sample) }

    mutating func lost() { before = nil }

    func lines(columns: Int, rows: Int) -> [Line] {
        guard let sample else { return [] }
        let head = [Line(sample.sentence(after: before))] + sample.conditions + [Line()]
        return Array((head + sample.table(columns: columns)).prefix(rows))
    }
}

/// The nodes of a log at one moment.
struct ClusterSample {
    static let columns = [
        Column("node", fit: .cut(8)), Column("state", tone: .state), Column("position"), Column("stored"),
        Column("erased", fit: .leftOut), Column("seen", heading: "seen s ago"), Column("version", fit: .leftOut),
        Column("address", fit: .cut(8)),
    ]

    let reply: StoreReply
    /// The rows for a person: a node that is late is in no state that is known.
    let rows: [ShownJSON]
    private let end: [String: ShownJSON]
    private let time = ContinuousClock.now

    init(_ reply: StoreReply) {
        self.reply = reply
        rows = ClusterSample.rows(of: reply)
        end = ShownJSON(reply.final.json)?.members ?? [:]
    }

    private var position: UInt64 { end["position"]?.whole ?? 0 }

    /// The seconds after which a node is late: it reports each three.
    private static let late = 4.0

    private static func rows(of reply: StoreReply) -> [ShownJSON] {
        reply.rows.compactMap { ShownJSON($0.json) }.map { row in
            guard let seen = row.members["seen"].flatMap({ Double($0.json) }) else {
                return row.replacing("state", with: "no word yet")
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
        let isKnown = !ConditionText.names(end["conditions"]).contains(StoreCondition.etcdLost.rawValue)
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
