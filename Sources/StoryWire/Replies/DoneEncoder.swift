import StoryCore

/// Writes the JSON of what closes an answer that succeeded.
enum DoneEncoder {
    static func append(_ done: Done, to bytes: inout [UInt8]) {
        switch done {
        case .row(let row): RowEncoder.append(row, to: &bytes)
        case .receipt(let receipt): append(receipt, to: &bytes)
        case .unchanged(let id, let stream, let version, let position):
            appendPlace(id, stream, version, position, to: &bytes)
            bytes.appendLiteral(#","changed":false}"#)
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
                bytes.appendName(next.bytes)
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

    private static func append(_ receipt: Receipt, to bytes: inout [UInt8]) {
        appendPlace(receipt.id, receipt.stream, receipt.version, receipt.position, to: &bytes)
        bytes.appendLiteral(#","time":""#)
        receipt.time.append(to: &bytes)
        bytes.append(0x22)
        if receipt.repeated { bytes.appendLiteral(#","repeated":true"#) }
        bytes.append(0x7D)
    }

    /// Appends `{"id":…,"stream":…,"version":…,"position":…`, open at its end.
    private static func appendPlace(
        _ id: Identifier?, _ stream: StreamName, _ version: Version, _ position: Position, to bytes: inout [UInt8]
    ) {
        bytes.append(0x7B)
        if let id {
            bytes.appendLiteral(#""id":"#)
            bytes.appendName(id.bytes)
            bytes.append(0x2C)
        }
        bytes.appendLiteral(#""stream":"#)
        bytes.appendName(stream.bytes)
        bytes.appendLiteral(#","version":"#)
        bytes.appendInteger(version.value)
        bytes.appendLiteral(#","position":"#)
        bytes.appendInteger(position.value)
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
