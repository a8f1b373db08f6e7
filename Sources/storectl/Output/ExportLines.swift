import StoryCore
import StoryWire

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

    private static func row(_ event: Event) -> [UInt8] {
        var row = Array("\(event.position.value),\(event.stream),\(event.version.value),\(event.body.type)".utf8)
        row += ",\(event.time.text),\(event.by),\(event.key?.description ?? "")".utf8
        for cell in [event.tags, event.meta, data(event)] {
            row.append(0x2C)
            cell?.withUnsafeBytes { add($0, to: &row) }
        }
        return row
    }

    private static func data(_ event: Event) -> ByteView? {
        if case .custom(_, let data) = event.body { data } else { nil }
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
