package import StoryCore

/// The messages by number, by whom they are from, to, between and about, and those that nobody has seen yet.
package enum MessageProjectionOf<Held: Holding>: RowKeeping {
    package static var rows: Table { .messages }
    package static var counts: Table { .messageCounts }

    package static var indexes: [Index] { messageIndexes }

    package static func number(of row: MessageRowOf<Held>) -> StreamNumber { row.number }

    package static func writeFilterKey<Bytes: ByteWriting>(
        _ filter: FilterName, of row: MessageRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) -> Bool {
        switch filter {
        case .sender: key.name(row.sender)
        case .recipient: key.name(row.recipient)
        case .between: key.conversation(row.sender, row.recipient)
        case .story:
            guard let story = row.story else { return false }
            key.name(story)
        case .unseen: return !row.seen
        case .owner, .prefecture, .email, .since, .until: return false
        }
        return true
    }

    package static func writeSortKey<Bytes: ByteWriting>(
        _ sort: SortKey, of row: MessageRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) {
        key.date(row.date)
    }

    package static func write<Bytes: ByteWriting>(
        _ row: MessageRowOf<Held>, to record: inout RecordWriter<Bytes>
    ) {
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id)
        record.text(row.text)
        record.name(row.sender)
        record.name(row.recipient)
        record.optional(row.story) { $0.name($1) }
        record.integer(row.date.milliseconds)
        record.integer(row.seen ? UInt8(1) : 0)
    }
}

extension MessageProjectionOf: Projection where Held == Owned {
    package static var kind: Kind { .messages }
    package static func wrapped(_ row: MessageRow) -> StoryCore.Row { .message(row) }

    package static func unwrapped(_ row: StoryCore.Row) -> MessageRow? {
        if case .message(let row) = row { row } else { nil }
    }

    package static func passes(_ record: UnsafeRawBufferPointer, _ filters: [Filter]) -> Bool {
        guard let row = StoredMessage(record) else { return false }
        return filters.allSatisfy { matches(row, $0) }
    }

    private static func matches(_ row: StoredMessage, _ filter: Filter) -> Bool {
        switch filter {
        case .sender(let id): row.sender.isName(id)
        case .recipient(let id): row.recipient.isName(id)
        case .story(let id): row.story?.isName(id) ?? false
        case .between(let one, let other):
            (row.sender.isName(one) && row.recipient.isName(other))
                || (row.sender.isName(other) && row.recipient.isName(one))
        case .unseen(let isWanted): row.seen != isWanted
        case .since(let time): row.date >= time
        case .until(let time): row.date < time
        case .owner, .prefecture, .email: false
        }
    }

    package static func decode(_ bytes: [UInt8], number: StreamNumber) -> MessageRow? {
        bytes.withUnsafeBytes { bytes in
            guard let stored = StoredMessage(bytes) else { return nil }
            return MessageRow(
                id: Identifier(lent: stored.id), number: number, version: stored.version, position: stored.position,
                text: Text(lent: stored.text), sender: Identifier(lent: stored.sender),
                recipient: Identifier(lent: stored.recipient), story: stored.story.map { Identifier(lent: $0) },
                date: stored.date, seen: stored.seen)
        }
    }
}

private let messageIndexes = [
    Index(.messagesByDate, by: .date, isCounted: true),
    Index(.messagesBySenderDate, [.sender], by: .date, isCounted: true),
    Index(.messagesByRecipientDate, [.recipient], by: .date, isCounted: true),
    Index(.messagesByConversationDate, [.between], by: .date, isCounted: true),
    Index(.messagesByStoryDate, [.story], by: .date, isCounted: true),
    Index(.messagesUnseenByDate, [.unseen], by: .date, isCounted: true),
    Index(.messagesUnseenByRecipientDate, [.recipient, .unseen], by: .date, isCounted: true),
]

// What owns its names and texts, as the daemon has it.
package typealias MessageProjection = MessageProjectionOf<Owned>
