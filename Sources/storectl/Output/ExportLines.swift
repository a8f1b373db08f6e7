import StoryCore
import StoryWire

/// Events on their way to standard output: each as the log has it, or as a row of comma-separated values.
final class ExportLines {
    private static let heading = "position,stream,version,type,time,by,key,tags,meta,data"

    private let output: Output
    /// Nil where lines go out as they are.
    private let reader: EventLineReader?
    private var scratch: [UInt8] = []

    /// - Throws: where the heading cannot be written.
    init(_ output: Output, isCSV: Bool) throws(CommandError) {
        self.output = output
        reader = isCSV ? EventLineReader() : nil
        if isCSV { try output.line(ExportLines.heading) }
    }

    /// Writes an event, whose line is lent.
    ///
    /// - Throws: where it cannot be written, or the line is no event.
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

    /// Adds a cell of JSON: RFC 4180 wants quotes around what has quotes or commas, and those inside twice.
    private static func add(_ json: UnsafeRawBufferPointer, to row: inout [UInt8]) {
        row.append(0x22)
        for byte in json {
            if byte == 0x22 { row.append(0x22) }
            row.append(byte)
        }
        row.append(0x22)
    }
}
