import StoryCore
import TestSupport

/// An event as a log keeps it, with memory of its own.
struct LoggedEvent {
    let position: UInt64
    let number: UInt64
    let version: UInt64
    let time: Instant
    let stream: String
    let key: String?
    let text: [UInt8]
    private var header: EventHeader

    init(
        _ position: UInt64, _ number: UInt64, _ version: UInt64, _ time: Instant, stream: String, type: String,
        key: String?, data: String
    ) {
        self.position = position
        self.number = number
        self.version = version
        self.time = time
        self.stream = stream
        self.key = key
        var text = #"{"position":\#(position),"stream":"\#(stream)","version":\#(version),"type":"\#(type)""#
        text += #","time":"2026-01-01T00:00:00.000Z","by":1000"#
        if let key { text += #","key":"\#(key)""# }
        self.text = Array((text + #","data":\#(data)}"#).utf8)
        let metadata = EventMetadata(
            position: Position(position), streamNumber: StreamNumber(number), version: Version(version), time: time,
            by: 1_000)
        header = EventHeader(metadata, streamCount: stream.utf8.count, typeCount: type.utf8.count)
        header.keyCount = key?.utf8.count ?? 0
        header.jsonCount = self.text.count
    }

    /// Calls `body` with the event as the log does.
    func withRecord<Result>(_ body: (EventRecord) throws -> Result) rethrows -> Result {
        guard let parts = EventText(header) else { preconditionFailure("lengths that do not fit") }
        return try text.withUnsafeBytes { try body(EventRecord(header, parts, $0)) }
    }

    /// The event as the plain decoder reads it.
    func decoded(_ decoder: PlainDecoder) -> Event { withRecord { decoder.decode($0) } }
}
