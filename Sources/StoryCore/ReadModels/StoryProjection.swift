/// The stories by number and in the orders that `LIST stories` has.
package enum StoryProjection: Projection {
    package static let rows = Table.stories
    package static let counts = Table.storyCounts

    package static let indexes = [
        Index(.storiesByDate, by: .date, isCounted: true),
        Index(.storiesByTitle, by: .title),
        Index(.storiesByLikes, by: .likes),
        Index(.storiesBySender, by: .sender),
        Index(.storiesByRecipient, by: .recipient),
        Index(.storiesBySenderDate, [.sender], by: .date, isCounted: true),
        Index(.storiesByRecipientDate, [.recipient], by: .date, isCounted: true),
        Index(.storiesByPairDate, [.sender, .recipient], by: .date),
    ]

    package static func number(of row: StoryRow) -> StreamNumber { row.number }

    package static func matches(_ row: StoryRow, _ filter: Filter) -> Bool {
        switch filter {
        case .sender(let id): row.sender == id
        case .recipient(let id): row.recipient == id
        case .owner, .story, .between, .prefecture, .email, .unseen: false
        }
    }

    package static func writeFilterKey(_ filter: FilterName, of row: StoryRow, to key: inout KeyWriter) -> Bool {
        switch filter {
        case .sender: key.name(row.sender.bytes)
        case .recipient: key.name(row.recipient.bytes)
        case .owner, .story, .between, .prefecture, .email, .unseen: return false
        }
        return true
    }

    package static func writeSortKey(_ sort: SortKey, of row: StoryRow, to key: inout KeyWriter) {
        switch sort {
        case .title: key.text(row.title)
        case .likes: key.number(row.likes)
        case .sender: key.name(row.sender.bytes)
        case .recipient: key.name(row.recipient.bytes)
        default: key.date(row.date)
        }
    }

    package static func encode(_ row: StoryRow) -> [UInt8] {
        var record = RecordWriter(capacity: 96 + row.title.bytes.count + row.message.bytes.count)
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id.bytes)
        record.text(row.title)
        record.text(row.message)
        record.name(row.sender.bytes)
        record.name(row.recipient.bytes)
        record.integer(row.date.milliseconds)
        record.integer(row.likes)
        return record.bytes
    }

    package static func decode(_ bytes: [UInt8], number: StreamNumber) -> StoryRow? {
        bytes.withUnsafeBytes { bytes in
            guard let stored = StoredStory(bytes) else { return nil }
            return StoryRow(
                id: Identifier(lent: stored.id), number: number, version: stored.version, position: stored.position,
                title: Text(lent: stored.title), message: Text(lent: stored.message),
                sender: Identifier(lent: stored.sender), recipient: Identifier(lent: stored.recipient),
                date: stored.date, likes: stored.likes)
        }
    }
}
