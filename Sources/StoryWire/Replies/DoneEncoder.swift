import StoryCore

/// The encoder of the JSON that closes a successful answer.
enum DoneEncoder {
    static func append(_ done: Done, to bytes: inout [UInt8]) {
        switch done {
        case .row(let record): record.withView { RowJSONEncoder.standard.append($0, to: &bytes) }
        case .receipt(let receipt): append(receipt, to: &bytes)
        case .appended(let count, let position, let repeated):
            appendCount(count, to: &bytes)
            bytes.appendLiteral(#","position":"#)
            bytes.appendInteger(position.value)
            bytes.appendLiteral(repeated ? #","repeated":true}"# : "}")
        case .unchanged(let id, let stream, let version, let position):
            appendUnchanged(id, stream, version, position, to: &bytes)
        case .page(let count, let next, let position):
            appendCount(count, to: &bytes)
            if let next {
                bytes.appendLiteral(#","next":"#)
                bytes.appendString(next)
            }
            appendEnd(position, to: &bytes)
        case .streams(let count, let next, let position):
            appendCount(count, to: &bytes)
            if let next {
                bytes.appendLiteral(#","next":"#)
                bytes.appendName(next.spelling)
            }
            appendEnd(position, to: &bytes)
        case .counted(let count, let position):
            appendCount(count, to: &bytes)
            appendEnd(position, to: &bytes)
        case .read(let count, let next, let position):
            appendCount(count, to: &bytes)
            if let next {
                bytes.appendLiteral(#","next":"#)
                bytes.appendInteger(next)
            }
            appendEnd(position, to: &bytes)
        case .subscribed(let subscription, let position):
            bytes.appendLiteral(#"{"subscription":"#)
            bytes.appendInteger(subscription.value)
            appendEnd(position, to: &bytes)
        case .members(let members): MemberEncoder.append(members, to: &bytes)
        }
    }

    static func append(_ receipt: Receipt, to bytes: inout [UInt8]) {
        var times = TimeText()
        bytes.appendWritten(atMost: count(receipt)) { write(receipt, &times, to: &$0) }
    }

    /// Returns the maximum length of a receipt in bytes.
    static func count(_ receipt: Receipt) -> Int {
        fixedCount + receipt.stream.spelling.count + (receipt.id?.spelling.count ?? 0)
    }

    static func write(_ receipt: Receipt, _ times: inout TimeText, to writer: inout ByteWriter) {
        begin(receipt.id, receipt.stream, receipt.version, receipt.position, &writer)
        writer.literal(#","time":""#)
        writer.time(receipt.time, knownTo: &times)
        writer.byte(0x22)
        if receipt.repeated { writer.literal(#","repeated":true"#) }
        writer.byte(0x7D)
    }

    /// The maximum length of a receipt's labels, quotes, numbers and time, in bytes.
    private static var fixedCount: Int { 100 + 2 * ByteWriter.integerCount + Instant.textCount }

    private static func appendUnchanged(
        _ id: Identifier?, _ stream: StreamName, _ version: Version, _ position: Position, to bytes: inout [UInt8]
    ) {
        bytes.appendWritten(atMost: fixedCount + stream.spelling.count + (id?.spelling.count ?? 0)) { writer in
            begin(id, stream, version, position, &writer)
            writer.literal(#","changed":false}"#)
        }
    }

    /// Writes `{"id":…,"stream":…,"version":…,"position":…`, open at its end.
    private static func begin(
        _ id: Identifier?, _ stream: StreamName, _ version: Version, _ position: Position, _ writer: inout ByteWriter
    ) {
        writer.byte(0x7B)
        if let id {
            writer.literal(#""id":"#)
            writer.name(id.spelling)
            writer.byte(0x2C)
        }
        writer.literal(#""stream":"#)
        writer.name(stream.spelling)
        writer.literal(#","version":"#)
        writer.integer(version.value)
        writer.literal(#","position":"#)
        writer.integer(position.value)
    }

    private static func appendCount(_ count: Int, to bytes: inout [UInt8]) {
        bytes.appendLiteral(#"{"count":"#)
        bytes.appendInteger(count)
    }

    private static func appendEnd(_ position: Position, to bytes: inout [UInt8]) {
        bytes.appendLiteral(#","position":"#)
        bytes.appendInteger(position.value)
        bytes.append(0x7D)
    }
}
