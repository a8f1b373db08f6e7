import Glibc
import StoryClient
import StoryCore
import StoryStorage

/// The subcommand `metrics`: the daemon's figures for monitoring programs, on standard output or in a file.
enum MetricsRun {
    static let subcommand = Subcommand(
        CommandDescription(
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
            ]),
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

/// The families of figures from `METRICS`, as text for monitoring programs.
struct MetricsText {
    /// The type, unit, help and samples of each family, as OpenMetrics has them.
    private let families: [String]

    init(_ reply: StoreReply) {
        families = reply.rows.compactMap { ShownJSON($0.json)?.members["text"]?.plain }
    }

    /// Takes a text of figures.
    ///
    /// - Parameter openMetrics: the text in OpenMetrics 1.0.
    init(openMetrics: String) { families = [openMetrics] }

    /// The text in OpenMetrics 1.0, with its end.
    var openMetrics: String { families.joined() + "# EOF\n" }

    /// The text in the older format 0.0.4: a type has the name of the samples, and there are neither units nor infos.
    var prometheus: String { families.map(MetricsText.older).joined() }

    private static func older(_ family: String) -> String {
        let lines = family.split(separator: "\n")
        guard let type = lines.first?.split(separator: " "), type.count == 4 else { return family }
        let (name, kind) = (String(type[2]), String(type[3]))
        let sampleName =
            switch kind {
            case "counter": name + "_total"
            case "info": name + "_info"
            default: name
            }
        var text = ""
        for line in lines {
            if line.hasPrefix("# UNIT ") { continue }
            if line.hasPrefix("# TYPE ") {
                text += "# TYPE \(sampleName) \(kind == "info" ? "gauge" : kind)\n"
            } else if line.hasPrefix("# HELP ") {
                text += "# HELP \(sampleName)" + line.dropFirst("# HELP ".count + name.count) + "\n"
            } else {
                text += line + "\n"
            }
        }
        return text
    }

    /// The samples by name and labels, as they are spelled: `storykeep_rows{kind="users"}`.
    var samples: [String: Double] {
        var samples: [String: Double] = [:]
        for line in families.joined().split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            samples[String(line[..<space])] = value
        }
        return samples
    }

    /// Returns a sample as a number of things; 0 for one that is not there.
    static func count(_ sample: Double?) -> UInt64 { UInt64(max(0, min(sample ?? 0, 1e18))) }

    /// Returns the samples of a name that have one label, by its value.
    private static func labelled(_ name: String, _ samples: [String: Double]) -> [(label: String, value: Double)] {
        samples.compactMap { key, value in
            guard key.hasPrefix(name + "{"), let start = key.firstIndex(of: "\"") else { return nil }
            return (String(key[key.index(after: start)...].dropLast(2)), value)
        }
    }

    /// Returns the declared models that some events did not fit, by name, with the number of those events.
    static func misfits(_ samples: [String: Double]) -> [(model: String, count: UInt64)] {
        labelled("storykeep_model_misfits", samples).filter { $0.value > 0 }
            .map { (model: $0.label, count: count($0.value)) }.sorted { $0.model < $1.model }
    }

    /// Returns the conditions that hold, the grave ones first; one that this program does not know is not grave.
    static func conditions(_ samples: [String: Double]) -> [(name: String, isGrave: Bool)] {
        let held = labelled("storykeep_condition", samples).filter { $0.value > 0 }.map(\.label).sorted().map { name in
            (name: name, isGrave: StoreCondition(rawValue: name)?.gravity == .critical)
        }
        return held.filter(\.isGrave) + held.filter { !$0.isGrave }
    }

    /// Returns the upper bound of the bucket with the percentile of all durations, in microseconds; nil when there are
    /// none, or the bucket is the last one.
    static func percentile(_ part: Double, of name: String, in samples: [String: Double]) -> Double? {
        let buckets = labelled("\(name)_bucket", samples)
            .compactMap { bound, count in Double(bound).map { ($0, count) } }
            .sorted { $0.0 < $1.0 }
        guard let all = buckets.last?.1, all > 0 else { return nil }
        return buckets.first { $0.1 >= all * part && $0.0.isFinite }.map { $0.0 * 1_000_000 }
    }
}
