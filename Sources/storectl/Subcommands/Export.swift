import StoryClient
import StoryCore
import StoryLog
import StoryStorage
import StoryWire

/// The export of events, one page or one block after the other.
struct Export {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "export", summary: "writes events as JSON lines, each as the log has it, byte for byte",
            operand: .none,
            options: [
                Option("from", "P|TIME", "the start (default: the first event)"),
                Option("to", "P|TIME", "the end (default: the last event)"),
                Option("since", "TIME", "the start; the same as --from"),
                Kinds.types,
                Kinds.tags, Kinds.query,
                Option("csv", nil, "comma-separated values with a heading, as spreadsheets and databases read them"),
            ],
            details: [
                "A line has the event's position, stream, version, type, time, author, key, tags, meta and data.",
                "With --csv, tags, meta and data are cells of JSON. An erased event has \"erased\", the position of the event that",
                "erased it, in place of meta and data; in CSV their cells are empty.",
                "The daemon sends them; with --data, or where no daemon answers, the data directory is read.",
            ],
            examples: [
                "storectl export > events.ndjson", "storectl export --since 2026-11-01T00:00:00Z --csv > november.csv",
                "storectl --data /var/backups/storykeep/story-1 export --types StoryPosted",
            ]),
        run: { invocation throws(CommandError) in
            let export = try Export(invocation)
            LostReader.endsProcess()
            let asked: Void? = try invocation.asked { () throws(CommandError) in try export.ask() }
            if asked == nil {
                let data = try invocation.dataDirectory()
                try Interruption.endingAtOnce { () throws(CommandError) in try export.read(data) }
            }
            return .done
        })

    private let invocation: Invocation
    /// The request as the store reads it, both for a daemon and for the directory.
    private let query: ReadQuery
    private let lines: ExportLines
    private let progress = Progress("exporting", "events")

    init(_ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        let arguments = invocation.arguments
        guard !arguments.has("csv") || !invocation.isJSON else { throw .usage("--csv and --json: give one") }
        if arguments.has("from"), arguments.has("since") { throw .usage("--from and --since say the same; give one") }
        query = try LineReader().events(
            Export.request(arguments, from: Export.start(arguments), to: arguments.value("to")))
        lines = try ExportLines(invocation.output, isCSV: arguments.has("csv"))
    }

    /// Returns the position or time to begin at; nil for the first event.
    private static func start(_ arguments: Arguments) -> String? { arguments.value("from") ?? arguments.value("since") }

    /// Returns the request for a page of events.
    private static func request(_ arguments: Arguments, from: String?, to: String?) -> String {
        var request = RequestLine("READ", "events")
        if let from { request.add("from", from) }
        if let to { request.add("to", to) }
        for name in ["types", "tags", "query"] { request.add(name, from: arguments) }
        request.add("limit", String(ReadQuery.maxLimit))
        return request.text
    }

    /// Reads page after page from the daemon, up to the end of the log at the first page.
    func ask() throws(CommandError) {
        let store = Answerer(try invocation.connect())
        let arguments = invocation.arguments
        var next = Export.start(arguments)
        var end = arguments.value("to")
        while true {
            let reply = try store.ask(Export.request(arguments, from: next, to: end))
            for row in reply.rows { try row.json.withBytes { (json) throws(CommandError) in try lines.write(json) } }
            let members = ShownJSON(reply.final.json)?.members
            if end == nil { end = members?["position"]?.shown }
            guard let following = members?["next"]?.shown, following != next else { break }
            next = following
            progress.show(UInt64(following) ?? 0, of: members?["position"]?.whole)
        }
        try invocation.output.flush()
    }

    /// Reads the log in a data directory.
    func read(_ path: String) throws(CommandError) {
        ReaderProcess.useFreeNumber(for: path)
        var failure: CommandError?
        do throws(StorageError) {
            let log = try LMDBEventLog(in: try DataDirectory(path, for: .reading), now: Clock.system.now())
            defer { log.close() }
            let head = log.head
            let first = try query.from.map { (from) throws(StorageError) in
                try position(from, in: log, isFirst: true)
            }
            let last = try query.to.map { (end) throws(StorageError) in try position(end, in: log, isFirst: false) }
            try log.scan(from: first ?? Position(1), through: min(last ?? head, head), order: .ascending) { record in
                if record.position.value % 65_536 == 0 {
                    progress.show(record.position.value, of: head.value)
                }
                guard query.selection.query.matches(record) else { return true }
                do throws(CommandError) { try record.withLine(lines.write) } catch { failure = error }
                return failure == nil
            }
        } catch {
            throw StoredData.told(error)
        }
        if let failure { throw failure }
        try invocation.output.flush()
    }

    /// Returns the position of the first event at or after a time, or of the last event at or before it.
    private func position(
        _ bound: ReadBound, in log: LMDBEventLog, isFirst: Bool
    ) throws(StorageError) -> Position {
        switch bound {
        case .number(let position): return Position(position)
        case .time(let time):
            guard isFirst else { return try log.position(at: time) }
            guard time.milliseconds > Instant.range.lowerBound else { return Position(1) }
            return try log.position(at: Instant(milliseconds: time.milliseconds - 1)).next
        }
    }
}

/// The writer of exported events: each as in the log, or as a row of comma-separated values.
final class ExportLines {
    private static let heading = "position,stream,version,type,time,by,key,tags,meta,data"

    private let output: Output
    /// The reader of events for rows; nil when lines are written unchanged.
    private let reader: EventLineReader?
    private var scratch: [UInt8] = []

    /// Writes the heading of comma-separated values, if they are wanted.
    ///
    /// - Throws: when the heading cannot be written.
    init(_ output: Output, isCSV: Bool) throws(CommandError) {
        self.output = output
        reader = isCSV ? EventLineReader() : nil
        if isCSV { try output.line(ExportLines.heading) }
    }

    /// Writes an event; its line is read only during the call.
    ///
    /// - Throws: when it cannot be written, or the line is not an event.
    func write(_ line: UnsafeRawBufferPointer) throws(CommandError) {
        guard let reader else { return try output.line(Array(line)) }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: line)
        scratch.append(contentsOf: repeatElement(0, count: LineFramer.slack))
        let row: [UInt8]
        do throws(Failure) {
            row = try scratch.withBytes { (bytes) throws(Failure) in
                try ExportLines.row(reader.read(UnsafeRawBufferPointer(rebasing: bytes[..<line.count])))
            }
        } catch {
            throw .system("an event cannot be read: \(error.message)")
        }
        try output.line(row)
    }

    private static func row(_ event: StoryCore.Event) -> [UInt8] {
        var row = Array("\(event.position.value),\(event.stream),\(event.version.value),\(event.body.type)".utf8)
        row += ",\(event.time.text),\(event.by),\(event.key?.description ?? "")".utf8
        for cell in [event.tags, event.meta, data(event)] {
            row.append(0x2C)
            cell?.withUnsafeBytes { add($0, to: &row) }
        }
        return row
    }

    private static func data(_ event: StoryCore.Event) -> ByteView? {
        guard event.erased == nil else { return nil }
        return if case .custom(_, let data) = event.body { data } else { nil }
    }

    /// Adds a cell of JSON, quoted as RFC 4180 requires for quotes and commas; quotes inside are doubled.
    private static func add(_ json: UnsafeRawBufferPointer, to row: inout [UInt8]) {
        row.append(0x22)
        for byte in json {
            if byte == 0x22 { row.append(0x22) }
            row.append(byte)
        }
        row.append(0x22)
    }
}

extension EventRecord {
    /// Passes the event to `body` as the daemon sends it; the line is valid until that returns.
    ///
    /// - Throws: the error of `body`.
    func withLine<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        guard erased != nil else { return try body(json) }
        return try ByteWriter.bytes { ReplyEncoder.appendLine(self, to: &$0) }.withBytes(body)
    }
}
