import Glibc
import StoryClient
import StoryCore
import StoryLog
import StoryStorage
import StoryWire

/// The copy of a damaged log's good events into a new log.
final class SalvageRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "salvage", summary: "makes a data directory of all that is good in a damaged one",
            operand: .required("DIR"),
            options: [Option("out", "NEW", "the data directory to make; it must be empty or not there")],
            details: [
                "If a backup is new enough, restore it instead: this is for events that no backup has.",
                "It searches log/ and log.journal for events that are whole, and changes no file but lock. Each keeps "
                    + "its position, version, time, key and data. Each lost one is replaced by an event of the type "
                    + "\(SalvageRun.lostType), in the stream that lacks a version there, else in \(LogSalvage.unknownStream).",
                "It prints which positions are lost, and which are doubtful: whole, but on pages that no commit is known to have, "
                    + "so that a write which failed may have left them. It exits with 5 where any is. Events after the last one "
                    + "that was found may be lost as well; this cannot be detected.",
                "The result is a new history, as that of an import is.",
            ],
            examples: ["storectl salvage /var/lib/story --out /var/lib/story-good"]),
        run: { invocation throws(CommandError) in
            guard let out = invocation.arguments.value("out") else {
                throw .usage("salvage wants --out NEW, the data directory to make")
            }
            let run = try SalvageRun(
                from: try invocation.arguments.operand("DIR"), to: try Invocation.absolute(out), invocation)
            return try run.finish()
        })

    /// The type of an event that replaces a lost one.
    static let lostType = "EventLost"

    private let invocation: Invocation
    private let source: LogSalvage
    private let target: LogImport
    private let reader = EventLineReader()
    private var encoder = EventEncoder()
    private let progress = Progress("copying", "events")
    private var line: [UInt8] = []
    private var lost = PositionRanges()
    private var doubtful = PositionRanges()

    init(from directory: String, to path: String, _ invocation: Invocation) throws(CommandError) {
        self.invocation = invocation
        let interruption = invocation.interruption
        do throws(StorageError) {
            let progress = Progress("searching", "bytes")
            source = try LogSalvage(directory) { done, all in
                progress.show(done, of: all)
                return !Interruption.came(within: .zero, on: interruption)
            }
            guard source.head > .zero else { throw .failed("\(directory) holds no event that is whole") }
            target = try LogImport(into: path, now: Clock.system.now())
        } catch {
            throw SalvageRun.told(error, interruption)
        }
    }

    /// Copies all events that are left, and reports the missing ones.
    func finish() throws(CommandError) -> ExitCode {
        try source.run { (event) throws(CommandError) in
            switch event {
            case .good(let record): guard try record.withLine(add) == nil else { return false }
            case .doubtful(let record):
                guard try record.withLine(add) == nil else { return false }
                doubtful.add(record.position.value)
            case .lost(let event): try add(event)
            }
            if target.head.value % 65_536 == 0 {
                progress.show(target.head.value, of: source.head.value)
                guard !Interruption.came(within: .zero, on: invocation.interruption) else {
                    throw .silent(.interrupted)
                }
            }
            return true
        }
        let head = target.head.value
        let checking = Progress("checking", "events")
        try StoredData.used { () throws(StorageError) in
            try target.finish { checking.show($0.value, of: head) }
        }
        try tell(head)
        return lost.count + doubtful.count == 0 ? .done : .corrupt
    }

    private func add(_ event: LogSalvage.LostEvent) throws(CommandError) {
        let position = event.position.value
        lost.add(position)
        let key = event.key.map { #","key":"\#($0)""# } ?? ""
        let text =
            #"{"position":\#(position),"stream":"\#(event.stream)","version":\#(event.version.value),"#
            + #""type":"\#(SalvageRun.lostType)","time":"\#(event.time.text)","by":\#(geteuid())\#(key),"data":{}}"#
        let error = try Array(text.utf8).withBytes { (json) throws(CommandError) in try add(json) }
        if let error { throw .system("position \(position): \(error.field): \(error.message)") }
    }

    /// Adds an event to the new log.
    ///
    /// - Returns: nil; or the fault of an event that does not follow those before it.
    private func add(_ json: UnsafeRawBufferPointer) throws(CommandError) -> FieldError? {
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: json)
        line.append(contentsOf: repeatElement(0, count: LineFramer.slack))
        return try line.withBytes { (bytes) throws(CommandError) in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<json.count])
            let event: StoryCore.Event
            do throws(Failure) { event = try reader.read(bytes) } catch { throw .system(error.message) }
            if event.erased != nil { encoder.write(event) }
            do throws(LogImport.Refusal) {
                try target.add(event, json: event.erased == nil ? bytes : encoder.json)
                return nil
            } catch {
                switch error {
                case .misplaced(let error): return error
                case .storage(let error): throw StoredData.told(error)
                }
            }
        }
    }

    private func tell(_ head: UInt64) throws(CommandError) {
        let good = head - lost.count
        if invocation.isJSON {
            try invocation.output.line(
                #"{"salvaged":\#(good),"lost":\#(lost.count),"ranges":[\#(lost.json)],"position":\#(head),"#
                    + #""doubtful":\#(doubtful.count),"doubtfulRanges":[\#(doubtful.json)]}"#)
        } else {
            try invocation.output.line("salvaged: \(good) of \(head) events")
            for line in lost.lines("lost") + doubtful.lines("doubtful") { try invocation.output.line(line) }
        }
        try invocation.output.flush()
    }

    private static func told(_ error: StorageError, _ interruption: Int32) -> CommandError {
        return Interruption.came(within: .zero, on: interruption) ? .silent(.interrupted) : StoredData.told(error)
    }
}

/// Positions in ascending order, stored as ranges.
private struct PositionRanges {
    private var ranges: [ClosedRange<UInt64>] = []
    private(set) var count: UInt64 = 0

    mutating func add(_ position: UInt64) {
        count += 1
        if let last = ranges.last, last.upperBound + 1 == position {
            ranges[ranges.count - 1] = last.lowerBound...position
        } else {
            ranges.append(position...position)
        }
    }

    /// The ranges as arrays of two numbers.
    var json: String { ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",") }

    /// A line for each range.
    func lines(_ word: String) -> [String] {
        ranges.map { range in
            range.count == 1
                ? "\(word): position \(range.lowerBound)"
                : "\(word): positions \(range.lowerBound) to \(range.upperBound)"
        }
    }
}
