import Glibc
import StoryClient
import StoryCore
import StoryStorage

/// The subcommand `metrics`: the daemon's figures for monitoring programs, on standard output or in a file.
enum MetricsRun {
    static let subcommand = Subcommand(
        name: "metrics", summary: "prints the daemon's figures for Prometheus, as OpenMetrics or into a file",
        operand: .none,
        options: [
            Option("prometheus", nil, "the older text format 0.0.4"),
            Option("textfile", "PATH", "writes that into a file for node_exporter's textfile collector: NAME.prom"),
        ],
        details: [
            "Nothing listens: a timer writes the file, and node_exporter reads it. docs/operating.md lists the figures.",
            "The file is written beside PATH and renamed, so that a reader never sees half of it.",
        ],
        examples: [
            "storectl metrics", "storectl metrics --prometheus",
            "storectl metrics --textfile /var/lib/prometheus/node-exporter/storykeep.prom",
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitCode {
        let answerer = Answerer(try invocation.connect())
        guard !invocation.isJSON else {
            let reply = try ask(answerer)
            for line in reply.rows + [reply.final] { try invocation.output.line(line.json) }
            return .done
        }
        let text = MetricsText(try ask(answerer))
        if let path = invocation.arguments.value("textfile") {
            try write(text.prometheus, to: try Invocation.absolute(path))
        } else {
            let shown = invocation.arguments.has("prometheus") ? text.prometheus : text.openMetrics
            for line in shown.split(separator: "\n") { try invocation.output.line(String(line)) }
        }
        return .done
    }

    /// Asks for the figures, a second time when the reply depended on a write that found no space.
    static func ask(_ answerer: Answerer) throws(CommandError) -> StoreReply {
        do throws(CommandError) {
            return try answerer.ask("METRICS")
        } catch {
            guard case .refused(let refusal, _) = error, refusal.code == .full else { throw error }
            return try answerer.ask("METRICS")
        }
    }

    /// Returns the path of the file that is to be replaced, behind links.
    ///
    /// - Throws: where the path names something else than a file: a pipe or a device would be gone.
    private static func replaceable(_ path: String) throws(CommandError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return path }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .usage("--textfile is for a file, which is replaced, and \(path) is none; name another file")
        }
        guard isLink else { return path }
        guard let target = realpath(path, nil) else { throw .unwritable(path, errno) }
        defer { free(target) }
        return try StoredData.used { () throws(StorageError) in try ProcessInput.text(target, of: path) }
    }

    /// Writes a file that every user may read, under a temporary name first.
    private static func write(_ text: String, to path: String) throws(CommandError) {
        let path = try replaceable(path)
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw .unwritable(path, errno) }
        // The caller's umask is for the caller's own files; this one is for another user's program.
        fchmod(file, 0o644)
        var failure = WholeWrite.run(Array(text.utf8), to: file)
        if close(file) != 0, failure == nil { failure = errno }
        if failure == nil, rename(draft, path) != 0 { failure = errno }
        guard let failure else { return }
        unlink(draft)
        throw .unwritable(path, failure)
    }
}
