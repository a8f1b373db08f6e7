import StoryCore
import TestSupport

/// An event as a log keeps it, with memory of its own.
struct LoggedEvent {
    let position: UInt64
    let number: UInt64
    let version: UInt64
    let time: Instant
    let stream: String
    let text: [UInt8]
    let ranges: (stream: Range<Int>, type: Range<Int>, key: Range<Int>?, data: Range<Int>)

    init(
        _ position: UInt64, _ number: UInt64, _ version: UInt64, _ time: Instant, stream: String, type: String,
        key: String?, data: String
    ) {
        self.position = position
        self.number = number
        self.version = version
        self.time = time
        self.stream = stream
        var text = Array(#"{"position":\#(position),"stream":""#.utf8)
        func add(_ part: String) -> Range<Int> {
            let start = text.count
            text += part.utf8
            return start..<text.count
        }
        let streamRange = add(stream)
        _ = add(#"","version":\#(version),"type":""#)
        let typeRange = add(type)
        _ = add(#"","time":"2026-01-01T00:00:00.000Z","by":1000"#)
        var keyRange: Range<Int>?
        if let key {
            _ = add(#","key":""#)
            keyRange = add(key)
            _ = add("\"")
        }
        _ = add(#","data":"#)
        ranges = (streamRange, typeRange, keyRange, add(data))
        text.append(0x7D)
        self.text = text
    }

    /// Lends the event as the log does.
    func withRecord<Result>(_ body: (EventRecord) throws -> Result) rethrows -> Result {
        try text.withUnsafeBytes { json in
            try body(
                EventRecord(
                    position: Position(position), streamNumber: StreamNumber(number), version: Version(version),
                    time: time, by: 1_000, json: json, stream: ranges.stream, type: ranges.type, key: ranges.key,
                    meta: nil, data: ranges.data))
        }
    }

    /// The event as the plain decoder reads it.
    func decoded(_ decoder: PlainDecoder) -> Event { withRecord { decoder.decode($0) } }
}
