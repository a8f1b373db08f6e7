import StoryCore

/// The encoder of the JSON that closes a successful answer.
enum DoneEncoder {
    /// - Parameter rows: the encoder of the row that answers a `GET`.
    static func append(_ done: Done, rows: RowJSONEncoder, to bytes: inout ByteWriter) {
        switch done {
        case .row(let row): row.withView { rows.append($0, to: &bytes) }
        case .receipt(let receipt): append(receipt, to: &bytes)
        case .appended(let count, let position, let repeated):
            appendCount(count, to: &bytes)
            bytes.literal(#","position":"#)
            bytes.integer(position.value)
            bytes.literal(repeated ? #","repeated":true}"# : "}")
        case .unchanged(let id, let stream, let version, let position):
            appendHead(id, stream, version, position, to: &bytes)
            bytes.literal(#","changed":false}"#)
        case .page(let count, let next, let position):
            appendCount(count, to: &bytes)
            if let next {
                bytes.literal(#","next":"#)
                next.withUnsafeBytes { bytes.string($0) }
            }
            appendEnd(position, to: &bytes)
        case .streams(let count, let next, let position):
            appendCount(count, to: &bytes)
            if let next {
                bytes.literal(#","next":"#)
                bytes.name(next.spelling)
            }
            appendEnd(position, to: &bytes)
        case .counted(let count, let position):
            appendCount(count, to: &bytes)
            appendEnd(position, to: &bytes)
        case .read(let count, let next, let position):
            appendCount(count, to: &bytes)
            if let next {
                bytes.literal(#","next":"#)
                bytes.integer(next)
            }
            appendEnd(position, to: &bytes)
        case .subscribed(let subscription, let position):
            bytes.literal(#"{"subscription":"#)
            bytes.integer(subscription.value)
            appendEnd(position, to: &bytes)
        case .members(let members): MemberEncoder.append(members, to: &bytes)
        }
    }

    static func append(_ receipt: Receipt, to bytes: inout ByteWriter) {
        var times = TimeText()
        append(receipt, times: &times, to: &bytes)
    }

    static func append(_ receipt: Receipt, times: inout TimeText, to bytes: inout ByteWriter) {
        appendHead(receipt.id, receipt.stream, receipt.version, receipt.position, to: &bytes)
        bytes.literal(#","time":""#)
        bytes.time(receipt.time, knownTo: &times)
        bytes.byte(0x22)
        if receipt.repeated { bytes.literal(#","repeated":true"#) }
        bytes.byte(0x7D)
    }

    /// Appends `{"id":…,"stream":…,"version":…,"position":…`, open at its end.
    private static func appendHead(
        _ id: Identifier?, _ stream: StreamName, _ version: Version, _ position: Position, to bytes: inout ByteWriter
    ) {
        bytes.byte(0x7B)
        if let id {
            bytes.literal(#""id":"#)
            bytes.name(id.spelling)
            bytes.byte(0x2C)
        }
        bytes.literal(#""stream":"#)
        bytes.name(stream.spelling)
        bytes.literal(#","version":"#)
        bytes.integer(version.value)
        bytes.literal(#","position":"#)
        bytes.integer(position.value)
    }

    private static func appendCount(_ count: Int, to bytes: inout ByteWriter) {
        bytes.literal(#"{"count":"#)
        bytes.integer(count)
    }

    private static func appendEnd(_ position: Position, to bytes: inout ByteWriter) {
        bytes.literal(#","position":"#)
        bytes.integer(position.value)
        bytes.byte(0x7D)
    }
}
