package import StoryCore

/// The encoder of the JSON that closes a successful answer.
enum DoneEncoder {
    /// - Parameter rows: the encoder of the row that answers a `GET`.
    static func append(_ done: Done, rows: RowJSONEncoder, to bytes: inout ByteWriter) {
        switch done {
        case .row(let row): row.withView { rows.append($0, to: &bytes) }
        case .receipt(let receipt): append(receipt, to: &bytes)
        case .appended(let count, let position, let repeated, let cursor):
            appendCount(count, to: &bytes)
            bytes.literal(#","position":"#)
            bytes.integer(position.value)
            if repeated { bytes.literal(#","repeated":true"#) }
            append(cursor, to: &bytes)
            bytes.byte(0x7D)
        case .unchanged(let id, let stream, let version, let position, let cursor):
            appendHead(id, stream, version, position, to: &bytes)
            bytes.literal(#","changed":false"#)
            append(cursor, to: &bytes)
            bytes.byte(0x7D)
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
        if let erased = receipt.erased {
            bytes.literal(#","erased":"#)
            bytes.integer(erased.value)
        }
        append(receipt.cursor, to: &bytes)
        bytes.byte(0x7D)
    }

    /// Appends the member `cursor`, where there is one.
    private static func append(_ cursor: CursorPlace?, to bytes: inout ByteWriter) {
        guard let cursor else { return }
        bytes.literal(#","cursor":{"share":"#)
        bytes.integer(UInt64(cursor.share))
        bytes.literal(#","at":"#)
        bytes.integer(cursor.at.value)
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

extension ClusterState {
    /// The members of `cluster`, in the greeting and in `STATS`.
    package var members: [Member] {
        switch self {
        case .replica(let replica):
            [Member("state", .text(replica.phase.rawValue)), Member("address", .text(replica.address))]
        case .node(let node):
            [
                Member("log", .text(node.log)), Member("node", .text(node.node)),
                Member("state", .text(node.phase.rawValue)),
            ]
                + (node.leader.map { [Member("leader", .text($0.node)), Member("address", .text($0.address))] } ?? [])
        }
    }

    /// The further members in `STATS`; without the end of the log and the distance from it while they are not known.
    ///
    /// - Parameter head: the last event that is here.
    package func figures(head: Position) -> [Member] {
        var members: [Member] = []
        if case .node(let node) = self {
            if let leader = node.leader { members.append(Member("term", .count(UInt64(clamping: leader.term)))) }
            members.append(Member("stored", .count(node.stored.value)))
        }
        if let end = link.end, let lag = lag(behind: head) {
            members += [Member("position", .count(end.value)), Member("lag", .count(lag))]
        }
        return members + [Member("silence", .number(link.silenceSeconds))]
    }
}

/// The encoder of members that have no type of their own, as JSON.
enum MemberEncoder {
    // The values are the program's own and shallow, so input does not drive this recursion.
    static func append(_ members: [Member], to bytes: inout ByteWriter) {
        bytes.byte(0x7B)
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.byte(0x2C) }
            bytes.string(member.name)
            bytes.byte(0x3A)
            append(member.value, to: &bytes)
        }
        bytes.byte(0x7D)
    }

    private static func append(_ value: MemberValue, to bytes: inout ByteWriter) {
        switch value {
        case .count(let count): bytes.integer(count)
        case .number(let number): bytes.number(number)
        case .text(let text): bytes.string(text)
        case .flag(let flag): bytes.boolean(flag)
        case .object(let members): append(members, to: &bytes)
        case .json(let json): bytes.raw(ByteView(json))
        case .list(let values):
            bytes.byte(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.byte(0x2C) }
                append(value, to: &bytes)
            }
            bytes.byte(0x5D)
        }
    }
}
