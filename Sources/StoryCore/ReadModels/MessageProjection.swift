/// The messages by number, by whom they are from, to, between and about, and those that nobody has seen yet.
package enum MessageProjection: Projection {
    package static let rows = Table.messages
    package static let counts = Table.messageCounts

    package static let indexes = [
        Index(.messagesByDate, by: .date, isCounted: true),
        Index(.messagesBySenderDate, [.sender], by: .date, isCounted: true),
        Index(.messagesByRecipientDate, [.recipient], by: .date, isCounted: true),
        Index(.messagesByConversationDate, [.between], by: .date, isCounted: true),
        Index(.messagesByStoryDate, [.story], by: .date, isCounted: true),
        Index(.messagesUnseenByDate, [.unseen], by: .date, isCounted: true),
        Index(.messagesUnseenByRecipientDate, [.recipient, .unseen], by: .date, isCounted: true),
    ]

    package static func number(of row: MessageRow) -> StreamNumber { row.number }

    package static func matches(_ row: MessageRow, _ filter: Filter) -> Bool {
        switch filter {
        case .sender(let id): row.sender == id
        case .recipient(let id): row.recipient == id
        case .story(let id): row.story == id
        case .between(let one, let other):
            (row.sender == one && row.recipient == other) || (row.sender == other && row.recipient == one)
        case .unseen(let isWanted): row.seen != isWanted
        case .owner, .prefecture, .email: false
        }
    }

    package static func writeFilterKey(_ filter: FilterName, of row: MessageRow, to key: inout KeyWriter) -> Bool {
        switch filter {
        case .sender: key.name(row.sender.bytes)
        case .recipient: key.name(row.recipient.bytes)
        case .between: key.conversation(row.sender, row.recipient)
        case .story:
            guard let story = row.story else { return false }
            key.name(story.bytes)
        case .unseen: return !row.seen
        case .owner, .prefecture, .email: return false
        }
        return true
    }

    package static func writeSortKey(_ sort: SortKey, of row: MessageRow, to key: inout KeyWriter) {
        key.date(row.date)
    }

    package static func encode(_ row: MessageRow) -> [UInt8] {
        var record = RecordWriter(capacity: 96 + row.text.bytes.count)
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id.bytes)
        record.text(row.text)
        record.name(row.sender.bytes)
        record.name(row.recipient.bytes)
        record.optional(row.story) { $0.name($1.bytes) }
        record.integer(row.date.milliseconds)
        record.integer(row.seen ? UInt8(1) : 0)
        return record.bytes
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
