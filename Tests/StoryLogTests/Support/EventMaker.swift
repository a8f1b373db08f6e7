import StoryCore
import StoryStorage
import StoryLog
import TestSupport

/// Makes events and their lines, written out the slow and obvious way.
struct EventMaker {
    var time: Int64 = 1_700_000_000_000

    /// An event of the users' own at a position; what is not given depends on the position alone.
    func event(
        _ position: UInt64, stream: String? = nil, type: String = "Noted", by: UInt32 = 1000, cursor: String? = nil,
        key: String? = nil, tags: ByteView? = nil, meta: String? = nil, data: String? = nil, version: UInt64? = nil,
        number: UInt64? = nil
    ) -> Event {
        let name = stream ?? "note-\((position + 6) % 7)"
        return Event(
            position: Position(position), stream: EventMaker.stream(name),
            streamNumber: StreamNumber(number ?? (position + 6) % 7 + 1),
            version: Version(version ?? (position + 6) / 7), time: Instant(milliseconds: time + Int64(position) * 10),
            by: by, cursor: cursor?.view, key: key?.key, tags: tags, meta: meta?.view,
            body: .custom(type.type, data: (data ?? "{\"number\":\(position)}").view))
    }

    /// The event's line as it goes out on the wire.
    static func json(_ event: Event) -> [UInt8] {
        var data = Array("{}".utf8)
        if case .custom(_, let bytes) = event.body { data = [UInt8](bytes) }
        var text = "{\"position\":\(event.position.value),\"stream\":\"\(event.stream)\""
        text += ",\"version\":\(event.version.value),\"type\":\"\(event.body.type)\",\"time\":\"\(event.time.text)\""
        text += ",\"by\":\(event.by)"
        if let cursor = event.cursor { text += #","cursor":"\#(String(decoding: [UInt8](cursor), as: UTF8.self))""# }
        if let key = event.key { text += ",\"key\":\"\(key)\"" }
        if let tags = event.tags { text += ",\"tags\":" + String(decoding: [UInt8](tags), as: UTF8.self) }
        if let meta = event.meta { text += ",\"meta\":" + String(decoding: [UInt8](meta), as: UTF8.self) }
        return Array((text + ",\"data\":").utf8) + data + [0x7D]
    }

    private static func stream(_ name: String) -> StreamName {
        StreamName(name) ?? StreamName(category: CategoryName(trusted: [0x78]), id: Identifier(trusted: [0x79]))
    }
}

extension EventLog {
    func append(_ event: Event) throws(StorageError) {
        let line = EventMaker.json(event)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: line)
        try append(event.header(jsonCount: line.count), json: UnsafeRawBufferPointer(copy))
    }

    /// Appends so many events of the usual make and commits them.
    func extend(by count: UInt64) throws(StorageError) {
        for position in (head.value + 1)...(head.value + count) { try append(EventMaker().event(position)) }
        try commit()
    }

    /// The lines from one position through another.
    func lines(
        _ from: UInt64 = 1, _ through: UInt64 = 1 << 52, _ order: Order = .ascending, limit: Int = .max
    ) throws(StorageError) -> [String] {
        var lines: [String] = []
        try scan(from: Position(from), through: Position(through), order: order) { record in
            lines.append(String(decoding: record.json, as: UTF8.self))
            return lines.count < limit
        }
        return lines
    }
}

/// The lines that events of the usual make have.
func usualLines(_ positions: some Sequence<UInt64>) -> [String] {
    positions.map { String(decoding: EventMaker.json(EventMaker().event($0)), as: UTF8.self) }
}
