import Glibc
import StoryClient
import StoryCore
import StoryLog
import StoryOffline
import StoryStorage
import StoryWire

/// The import of standard input, line by line, into a new log.
final class ImportRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "import", summary: "makes a data directory of the events that an export wrote", operand: .none,
            options: [Option("force", nil, "takes events, too, that no model can use, and faulty definitions")],
            details: [
                "Events come from standard input, one a line, from position 1 on, with none left out.",
                "The directory must be empty or not there; it appears once all of it is durable and verified.",
                "It is a new history: a consumer that resumes with the old one's name is refused. A backup keeps its ancestry.",
                "A line that no model could use is refused, such as a change of a missing row, or a faulty definition of a",
                "model; --force takes it all the same. Two users never get one address.",
            ],
            examples: [
                "storectl --data /var/lib/story import < events.ndjson",
                "storectl export | storectl --data copy import",
            ]),
        run: { invocation throws(CommandError) in
            let run = try ImportRun(invocation)
            try run.readAll()
            let head = try run.finish()
            let unused = run.unusedCount > 0 ? ", of which no model uses \(run.unusedCount)" : ""
            let json = "{\"imported\":\(head.value),\"unused\":\(run.unusedCount),\"position\":\(head.value)}"
            try invocation.output.line(invocation.isJSON ? json : "imported: \(head.value) events\(unused)")
            try invocation.output.flush()
            if head == .zero { Output.complain(raw: "standard input had no events: the new store is empty") }
            return .done
        })

    private static let chunk = 1 << 18

    private let interruption: Int32
    private let target: LogImport
    private let reader = EventLineReader()
    private let audit = ImportAudit(.standard)
    private let isForced: Bool
    /// The number of events that no model can use.
    private var unusedCount: UInt64 = 0
    private var framer = LineFramer(limit: EventLineReader.maxCount)
    private let progress = Progress("importing", "events")
    /// The size of the input in bytes, if it is a file; and the number of bytes that were read.
    private let size: Int?
    private var readCount = 0
    private var encoder = EventEncoder()
    private var line = 0

    init(_ invocation: Invocation) throws(CommandError) {
        guard isatty(STDIN_FILENO) == 0 else {
            throw .usage("import reads events from standard input: storectl --data DIR import < events.ndjson")
        }
        interruption = invocation.interruption
        isForced = invocation.arguments.has("force")
        size = ImportRun.inputSize()
        let path = try invocation.dataDirectory()
        target = try StoredData.used { () throws(StorageError) in
            try LogImport(into: path, now: Clock.system.now())
        }
    }

    /// Reads to the end of the input.
    func readAll() throws(CommandError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ImportRun.chunk, alignment: 16)
        defer { buffer.deallocate() }
        var endsWithLF = true
        while true {
            let count = try read(into: buffer)
            guard count > 0 else { break }
            endsWithLF = buffer[count - 1] == 0x0A
            readCount += count
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard !endsWithLF else { return }
        try [0x0A].withBytes { (end) throws(CommandError) in try take(end) }
    }

    func finish() throws(CommandError) -> Position {
        let head = target.head
        let checking = Progress("checking", "events")
        try StoredData.used { () throws(StorageError) in
            try target.finish { checking.show($0.value, of: head.value) }
        }
        return head
    }

    /// Returns the size of standard input in bytes; nil when it is not a file.
    private static func inputSize() -> Int? {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(status.st_size, 1)
    }

    /// Waits for input and reads a chunk; returns its size in bytes, 0 at the end.
    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(CommandError) -> Int {
        while true {
            var waiting = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) >= 0 || errno == EINTR else { throw unreadable() }
            if waiting[1].revents != 0 {
                Output.complain("interrupted; nothing was imported")
                throw .silent(.interrupted)
            }
            guard waiting[0].revents != 0 else { continue }
            let count = Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else { throw unreadable() }
        }
    }

    private func unreadable() -> CommandError {
        .system("standard input cannot be read: \(String(cString: strerror(errno))); nothing was imported")
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws(CommandError) {
        framer.append(bytes)
        while true {
            switch framer.next() {
            case .needBytes: return
            case .lineTooLong: throw refused("the line is longer than \(EventLineReader.maxCount) bytes", .denied)
            case .line(let bytes): try add(bytes)
            }
        }
    }

    private func add(_ bytes: UnsafeRawBufferPointer) throws(CommandError) {
        line += 1
        guard bytes.count > 0 else { return }
        let event: StoryCore.Event
        do throws(Failure) {
            event = try reader.read(bytes)
        } catch {
            throw refused(ImportRun.told(error), error.code == .invalid ? .no : .unusable)
        }
        encoder.write(event)
        var verdict: Result<ImportAudit.Verdict, StorageError> = .success(.used)
        do throws(LogImport.Refusal) {
            try target.add(event, json: encoder.json) { record in
                verdict = Result { () throws(StorageError) in try audit.verdict(on: record) }
            }
        } catch {
            switch error {
            case .misplaced(let error): throw refused("\(error.field): \(error.message)", .no)
            case .storage(let error): throw StoredData.told(error)
            }
        }
        try take(verdict)
        if line % 4_096 == 0 {
            progress.show(UInt64(line), of: nil, share: size.map { min(Double(readCount) / Double($0), 1) })
        }
    }

    /// Handles the verdict on an event.
    ///
    /// - Throws: when the event must not be in the log, or is of no use and `--force` is not given.
    private func take(_ verdict: Result<ImportAudit.Verdict, StorageError>) throws(CommandError) {
        switch verdict {
        case .success(.used): break
        case .success(.unused) where isForced: unusedCount += 1
        case .success(.unused(let reason)): throw refused("\(reason); take it all the same with --force", .no)
        case .success(.forbidden(let reason)): throw refused(reason, .no)
        case .failure(let error): throw StoredData.told(error)
        }
    }

    /// Returns the faults of a line, member by member.
    private static func told(_ failure: Failure) -> String {
        guard case .fields(let errors) = failure.detail else { return failure.message }
        let more = errors.count > 3 ? "; and \(errors.count - 3) more" : ""
        return errors.prefix(3).map { "\($0.field): \($0.message)" }.joined(separator: "; ") + more
    }

    private func refused(_ reason: String, _ code: ExitCode) -> CommandError {
        Output.complain("line \(line): \(reason); nothing was imported")
        return .silent(code)
    }
}

/// The restore of a backup into a data directory.
enum Restore {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "restore", summary: "makes a data directory of a backup", operand: .required("DIR"),
            details: [
                "The backup stays as it is. The directory must be empty or not there; it appears once it is verified.",
                "It is a new history; its parents are the backup's history and the parents of that.",
            ],
            examples: ["storectl --data /var/lib/story restore /var/backups/storykeep/story-1"]),
        run: { invocation throws(CommandError) in
            let head = try Restore.run(from: try invocation.arguments.operand("DIR"), invocation)
            let json = "{\"restored\":\(head.value),\"position\":\(head.value)}"
            try invocation.output.line(invocation.isJSON ? json : "restored: \(head.value) events")
            try invocation.output.flush()
            return .done
        })

    static func run(from backup: String, _ invocation: Invocation) throws(CommandError) -> Position {
        let path = try Invocation.absolute(try invocation.dataDirectory())
        ReaderProcess.useFreeNumber(for: backup)
        do throws(StorageError) {
            let log = try LMDBEventLog(in: try DataDirectory(backup, for: .reading), now: Clock.system.now())
            defer { log.close() }
            let interruption = invocation.interruption
            let (copying, checking) = (Progress("copying", "events"), Progress("checking the copy", "events"))
            return try log.copier().run(
                to: path, mustEnd: { Interruption.came(within: .zero, on: interruption) },
                progress: { step, position in
                    switch step {
                    case .copying: copying.show(position.value, of: log.head.value)
                    case .checking: checking.show(position.value, of: log.head.value)
                    }
                })
        } catch {
            guard !Interruption.came(within: .zero, on: invocation.interruption) else { throw .silent(.interrupted) }
            throw StoredData.told(error)
        }
    }
}
