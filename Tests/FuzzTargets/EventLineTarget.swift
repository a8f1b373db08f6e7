import StoryCore
import StoryLog
import StoryWire
import TestSupport

/// Lines of an export: one that is read, and written, and read again is the same event; a record of it too.
final class EventLineTarget: FuzzTarget {
    private let reader = EventLineReader()
    private let check = EventCheck()

    func run(_ bytes: UnsafeRawBufferPointer) {
        for line in bytes.split(separator: 0x0A, maxSplits: 3) {
            let copy = ExactCopy(line, slack: LineFramer.slack)
            // A log gives versions and positions itself, and has six bytes for them.
            guard let event = try? reader.read(copy.whole), event.version.value < 1 << 48 else { continue }
            check.run(event)
        }
    }
}

/// Writes an event as its line and as its record, and reads both.
final class EventCheck {
    private let reader = EventLineReader()
    private let salts = Salts()

    /// The event may be lent by another reader.
    ///
    /// - Parameter look: is lent the record.
    func run(_ event: Event, _ look: (EventRecord) -> Void = { _ in }) {
        let json = event.json
        let line = ExactCopy(json, slack: LineFramer.slack)
        do throws(Failure) {
            let read = try reader.read(line.whole)
            hold(read.position == event.position && read.version == event.version, "numbers are read as written")
            hold(read.stream == event.stream && read.by == event.by, "names are read as written")
            hold(read.time == event.time && read.key == event.key, "time and key are read as written")
            hold(read.tags == event.tags && read.meta == event.meta, "tags and meta are read as written")
            hold(read.body.type == event.body.type, "the type is read as written")
            hold(EventEncoder.data(of: read.body) == EventEncoder.data(of: event.body), "data is read as written")
            hold(read.json == json, "a line that was read is written the same")
        } catch {
            hold(false, "a line that was written is read: \(error.message)")
        }
        runRecord(event, json, look)
    }

    private func runRecord(_ event: Event, _ json: [UInt8], _ look: (EventRecord) -> Void) {
        let record = json.withUnsafeBytes { json in
            let writer = RecordWriter(event.header(jsonCount: json.count), json)
            let copy = ExactCopy([], slack: writer.count)
            if let base = copy.bytes.baseAddress { writer.write(json, salts, to: base) }
            return copy
        }
        do throws(StorageError) {
            let read = try Record.read(UnsafeRawBufferPointer(record.bytes), at: event.position.value)
            hold(json.withUnsafeBytes(read.json.equals), "a record has its text")
            hold(read.position == event.position && read.version == event.version, "a record has its numbers")
            hold(read.streamNumber == event.streamNumber, "a record has its stream's number")
            hold(read.time == event.time && read.by == event.by, "a record has its time and author")
            EventCheck.compare(read, read.stream, event.stream.spelling, "stream")
            EventCheck.compare(read, read.type, event.body.type.spelling, "type")
            EventCheck.compare(read, read.key, event.key?.spelling, "key")
            EventCheck.compare(read, read.tags, event.tags, "tags")
            EventCheck.compare(read, read.meta, event.meta, "meta")
            EventCheck.compare(read, read.data, EventEncoder.data(of: event.body).view, "data")
            look(read)
        } catch {
            hold(false, "a record that was written is read: \(error)")
        }
    }

    private static func compare(_ record: EventRecord, _ range: Range<Int>?, _ expected: ByteView?, _ name: String) {
        let found = range.map { ByteView(borrowing: UnsafeRawBufferPointer(rebasing: record.json[$0])) }
        hold(found == expected, "a record has its \(name)")
    }
}
