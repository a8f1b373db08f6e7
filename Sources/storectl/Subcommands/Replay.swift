import Glibc
import StoryBrowser
import StoryClient
import StoryCore
import StoryOffline
import StoryStorage

/// The subcommand `replay`: the search for the data, the fold, and the report.
struct ReplayRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "replay", summary: "rebuilds the models from the log and checks that the stored ones match",
            operand: .none,
            options: [
                Option("to", "P|TIME", "end at a position or a time, instead of the log's end"),
                Option(
                    "model", "M",
                    "report one model: \(Catalogue.standard.models.joined(separator: ", ")), or a declared one",
                    choices: Catalogue.standard.models),
                Option(
                    "out", "DIR",
                    "write the rows into files of a new directory, one for each kind and model and one for streams"),
                Option("verify", nil, "compare with the stored models; names the first row that differs, and exits 1"),
            ],
            details: [
                "Nothing in the data directory is written. A running daemon names its data directory, and with --verify it",
                "writes a checkpoint first; with --data, or where no daemon answers, the data directory is read without one.",
                "A digest is 128 bits over all entries of a model: equal digests, equal models. Declared models are folded by the",
                "definitions that answer at the end. With --verify their stores are compared, each at the position of its own",
                "checkpoint.",
            ],
            examples: [
                "storectl replay --verify", "storectl replay --out rows --to 2026-11-01T00:00:00Z",
                "storectl --data DIR replay --to 1000 --model stories", "storectl replay --to 1000 --model orders",
            ]),
        run: { invocation throws(CommandError) in try ReplayRun(invocation).finish() })

    private let invocation: Invocation
    private let options: Replay.Options

    init(_ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        var options = Replay.Options()
        if let text = invocation.arguments.value("to") { options.through = try StoredData.moment(text, "to") }
        options.isVerifying = invocation.arguments.has("verify")
        if let name = invocation.arguments.value("model") { options.models = [name] }
        guard !options.isVerifying || options.through == nil else {
            throw .usage("--verify and --to cannot be combined: it compares at the stored models' own position")
        }
        self.options = options
    }

    private static func noModel(_ name: String) -> CommandError {
        .usage(
            "there is no model \"\(name)\"; there are \(Catalogue.standard.models.joined(separator: ", ")), and the "
                + "declared ones that answer at that position; with --verify those that have a store")
    }

    func finish() throws(CommandError) -> ExitCode {
        let asked = try invocation.asked { () throws(CommandError) in
            if options.isVerifying { _ = try invocation.askLong("CHECKPOINT", "the daemon stores its models") }
            return try invocation.askedDirectory()
        }
        let path = if let asked { asked } else { try invocation.dataDirectory() }
        let out = try invocation.arguments.value("out").map { (out) throws(CommandError) in try Invocation.absolute(out)
        }
        ReaderProcess.useFreeNumber(for: path)
        let directory = try StoredData.used { () throws(StorageError) in
            let directory = try DataDirectory(path, for: .reading)
            if let out { _ = try NewFolder(out) }
            if options.isVerifying, access(directory.modelsPath, F_OK) != 0 {
                throw .failed("\(path) has no stored models yet, because it was never served")
            }
            return directory
        }
        let report = try Interruption.endingAtOnce { () throws(CommandError) in
            do throws(ReplayError) { return try StoredData.replay(directory, options) } catch {
                throw StoredData.told(error)
            }
        }
        if report.models.isEmpty { throw ReplayRun.noModel(options.models?.first ?? "") }
        if let out {
            var files = try RowFiles(out, of: path, through: report.position, invocation)
            try files.write(report.models.map(\.model))
        }
        try invocation.isJSON ? tellJSON(report) : tell(report)
        return report.isAlike ? .done : .no
    }

    private func tell(_ report: ReplayReport) throws(CommandError) {
        let rate = Int(report.eventsPerSecond.rounded())
        let milliseconds = Int((report.seconds * 1_000).rounded())
        try invocation.output.line(
            "folded \(report.position.value) of \(report.head.value) events in \(milliseconds) ms, \(rate) events/s")
        let width = (report.models.map(\.model.count).max() ?? 0) + 1
        for entry in report.models {
            var line =
                pad(entry.model, width) + pad(entry.rows == 1 ? "1 row" : "\(entry.rows) rows", 16) + entry.digest
            if let stored = entry.stored { line += stored == entry.digest ? "  as stored" : "  stored: \(stored)" }
            try invocation.output.line(line)
            if let difference = entry.difference {
                Output.complain("\(entry.model): \(difference)")
            }
        }
        guard options.isVerifying else { return }
        if report.isAlike {
            try invocation.output.line("verified: the stored models are the log, folded, at \(report.position.value)")
        } else {
            Output.complain("the stored models differ from the log; move the folder models away to fold them anew")
        }
    }

    private func tellJSON(_ report: ReplayReport) throws(CommandError) {
        for entry in report.models {
            var line = "{\"model\":\"\(entry.model)\",\"rows\":\(entry.rows),\"digest\":\"\(entry.digest)\""
            if let stored = entry.stored { line += ",\"stored\":\"\(stored)\",\"alike\":\(stored == entry.digest)" }
            if let difference = entry.difference { line += ",\"difference\":\"\(Shown.safe(difference))\"" }
            try invocation.output.line(line + "}")
        }
        try invocation.output.line(
            "{\"position\":\(report.position.value),\"head\":\(report.head.value),\"seconds\":\(report.seconds),"
                + "\"eventsPerSecond\":\(Int(report.eventsPerSecond.rounded())),"
                + "\"verified\":\(options.isVerifying && report.isAlike)}")
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.utf8.count))
    }
}

/// The writer of replayed rows into files of JSON lines: one for each kind, in the order of dates, one for each declared
/// model, in the order in which rows were made, and one for streams.
///
/// The directory gets its name when it is complete.
struct RowFiles {
    private static let pageCount = 1_000

    private let path: String
    private let answerer: Answerer
    private let interruption: Int32
    private var written: [String] = []

    /// Folds the data directory's log.
    ///
    /// - Parameters:
    ///   - path: the directory to create.
    ///   - data: the data directory to read.
    ///   - last: the position where the fold ends.
    /// - Throws: the reason why the data cannot be read.
    init(_ path: String, of data: String, through last: Position, _ invocation: Invocation) throws(CommandError) {
        self.path = path
        interruption = invocation.interruption
        answerer = try Answerer(reading: data, through: last)
    }

    /// Writes a file for each of these models that has rows or streams to show.
    ///
    /// - Throws: the error of writing; no file is left then.
    mutating func write(_ models: [String]) throws(CommandError) {
        let folder = try StoredData.used { () throws(StorageError) in
            let folder = try NewFolder(path)
            try Folder.make(folder.draft, mustBeNew: true)
            return folder
        }
        do throws(CommandError) {
            for kind in Kinds.names where models.contains(kind) {
                try write(kind, "LIST \(kind) sort=date order=asc", in: folder.draft)
            }
            if models.contains("streams") { try write("streams", "STREAMS", in: folder.draft) }
            for model in models where !Catalogue.standard.models.contains(model) {
                try write(model, "LIST \(model) order=asc", in: folder.draft)
            }
            try StoredData.used { () throws(StorageError) in try folder.publish() }
        } catch {
            for file in written { unlink(file) }
            rmdir(folder.draft)
            throw error
        }
    }

    private mutating func write(_ name: String, _ query: String, in folder: String) throws(CommandError) {
        let file = "\(folder)/\(name).ndjson"
        guard let stream = fopen(file, "wx") else { throw RowFiles.failure(file) }
        written.append(file)
        defer { fclose(stream) }
        let progress = Progress("writing \(name)", "rows")
        var count: UInt64 = 0
        var next: String?
        repeat {
            if Interruption.came(within: .zero, on: interruption) { throw .silent(.interrupted) }
            let reply = try answerer.ask("\(query) limit=\(RowFiles.pageCount)" + (next.map { " after=\($0)" } ?? ""))
            for row in reply.rows {
                let line = row.json + [0x0A]
                guard fwrite(line, 1, line.count, stream) == line.count else { throw RowFiles.failure(file) }
            }
            count += UInt64(reply.rows.count)
            progress.show(count, of: nil)
            next = ShownJSON(reply.final.json)?.members["next"]?.text
        } while next != nil
        guard fflush(stream) == 0, fsync(fileno(stream)) == 0 else { throw RowFiles.failure(file) }
    }

    private static func failure(_ file: String) -> CommandError { .unwritable(file, errno) }
}
