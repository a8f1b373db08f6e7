import StoryCore
import StoryWire

/// The table of `storectl`'s verbs, in the order of the help.
enum SubcommandTable {
    static let all: [Subcommand] = [
        Queries.get, Queries.list, Queries.count, Queries.read, Queries.streams,
        Queries.types,
        Writes.post, Writes.edit, Writes.like, Writes.unlike, Writes.see, Writes.delete, Writes.append,
        Tail.subcommand, PipeRun.subcommand, Prompt.subcommand, Browse.subcommand, StatsRun.subcommand,
        TopRun.subcommand, MetricsRun.subcommand, CheckRun.subcommand, ClientsRun.subcommand,
        ClusterRun.subcommand,
        ReplayRun.subcommand, Verification.subcommand, Backup.subcommand, Restore.subcommand, SalvageRun.subcommand,
        Export.subcommand, ImportRun.subcommand, ModelRun.subcommand, Completion.subcommand, CompleteRun.subcommand,
        Help.subcommand,
    ]

    /// The options of every verb.
    static let globalOptions = [
        Option(
            "socket", "PATH",
            "the daemon's socket, or tls://HOST:PORT, or a list; else STORED_SOCKET, the user's own or the service's"),
        Option("data", "DIR", "the data directory, to be read without a daemon; else STORED_DATA, else the XDG one"),
        Option("json", nil, "prints JSON lines, byte for byte as the store sent them"),
        Option("timeout", "SECONDS", "seconds to wait for a reply (default 20; no limit for backups and checks)"),
        Option("help", nil, "explains the verb"),
    ]

    /// The options without a value.
    static let switches = Set((globalOptions + all.flatMap(\.options)).filter { $0.value == nil }.map(\.name))

    /// The options that may be given more than once.
    static let repeated = Set(all.flatMap(\.options).filter(\.isRepeated).map(\.name))

    static func find(_ name: String) -> Subcommand? { all.first { $0.name == name } }

    /// Returns the message for a verb that the tool does not have.
    ///
    /// - Parameter others: other words that may have been meant.
    static func unknown(_ name: String, besides others: [String] = []) -> String {
        if let meant = find(name.lowercased()) {
            return "no verb \"\(name)\"; it is \"\(meant.name)\", in small letters"
        }
        if let verb = Verb(name: name.uppercased()), let shape = Kinds.table.shape(of: verb) {
            if verb == .follow(.subscribe) { return "no verb \"\(name)\"; \"storectl tail\" subscribes" }
            return "no verb \"\(name)\" here; send the request itself: echo '\(shape.example)' | storectl --json pipe"
        }
        let usual = name == "ls" ? Queries.list.name : nil
        let nearest = usual ?? NearestName.find(name.utf8, among: all.map(\.name) + others)
        let hint = nearest.map { "; the nearest is \"\($0)\"" } ?? ""
        return "no verb \"\(name)\"\(hint); \"storectl help\" lists them all"
    }
}
