import StoryBrowser
import StoryClient
import StoryCore

/// The subcommand `cluster`: the nodes of a log, and the changes of them.
enum ClusterRun {
    static let subcommand = Subcommand(
        name: "cluster", summary: "shows the nodes of a log, has one lead, or forgets one",
        operand: .several("status|promote|remove"), operandChoices: Work.allCases.map(\.rawValue),
        options: [Option("watch", nil, "shows them again each second, on a terminal as a page that q ends")]
            + RowLines.options,
        details: [
            "status, or no word, shows each node: its state, the last position that it has and the last one that it has",
            "stored, and how many seconds ago it reported. Where it did not report for four seconds, its state is not known.",
            "Below it are the leader, and each condition in which the log is not as it should be.",
            "promote NODE has a node lead that follows; clients wait some milliseconds. remove NODE forgets a node that is",
            "gone for good, so that etcd keeps no events for it; a process that still runs under the name ends.",
            "Any node answers. It exits with 3 where the node is behind, no node leads, or the change did not come true.",
        ],
        examples: ["storectl cluster", "storectl cluster --watch", "storectl cluster promote n2"],
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

    /// Returns true for a first operand that the name of a node follows.
    static func takesNode(_ word: String) -> Bool { Work(rawValue: word).map { $0 != .status } ?? false }

    private static let usage = "see \"storectl help cluster\""

    // MARK: Status

    private static func status(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let isPlain = ["json", "csv", "tsv", "columns"].contains(where: invocation.arguments.has)
        return try invocation.watch(
            isPlain ? nil : ClusterContent(), hasGaps: !invocation.isJSON, sample: ClusterSample.init
        ) { (reply, before) throws(CommandError) in try show(reply, after: before, invocation) }
    }

    private static func show(
        _ reply: StoreReply, after before: ClusterSample?, _ invocation: Invocation
    ) throws(CommandError) {
        var lines = try RowLines(invocation, columns: ClusterSample.columns)
        guard !["json", "csv", "tsv"].contains(where: invocation.arguments.has) else {
            try lines.write(reply.rows)
            return invocation.isJSON ? try invocation.output.line(reply.final.json) : ()
        }
        try lines.write(ClusterSample.rows(of: reply))
        let sample = ClusterSample(reply)
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
    static let request = "CLUSTER"
    static let verb = "cluster"

    private var before: ClusterSample?
    private var sample: ClusterSample?

    mutating func took(_ reply: StoreReply) { (before, sample) = (sample, ClusterSample(reply)) }

    mutating func lost() { before = nil }

    func lines(columns: Int, rows: Int) -> [Line] {
        guard let sample else { return [] }
        let head = [Line(sample.sentence(after: before))] + sample.conditions + [Line()]
        return Array((head + sample.table(columns: columns)).prefix(rows))
    }
}
