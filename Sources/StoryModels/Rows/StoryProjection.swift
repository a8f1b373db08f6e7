package import StoryCore

/// The stories by number and in the orders that `LIST stories` has.
package enum StoryProjectionOf<Held: Holding>: RowKeeping {
    package static var rows: Table { .stories }
    package static var counts: Table { .storyCounts }

    package static var indexes: [Index] { storyIndexes }

    package static func number(of row: StoryRowOf<Held>) -> StreamNumber { row.number }

    package static func writeFilterKey<Bytes: ByteWriting>(
        _ filter: FilterName, of row: StoryRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) -> Bool {
        switch filter {
        case .sender: key.name(row.sender)
        case .recipient: key.name(row.recipient)
        case .owner, .story, .between, .prefecture, .email, .unseen, .since, .until: return false
        }
        return true
    }

    package static func writeSortKey<Bytes: ByteWriting>(
        _ sort: SortKey, of row: StoryRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) {
        switch sort {
        case .title: key.text(row.title)
        case .likes: key.number(row.likes)
        case .sender: key.name(row.sender)
        case .recipient: key.name(row.recipient)
        default: key.date(row.date)
        }
    }

    package static func write<Bytes: ByteWriting>(
        _ row: StoryRowOf<Held>, to record: inout RecordWriter<Bytes>
    ) {
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id)
        record.text(row.title)
        record.text(row.message)
        record.name(row.sender)
        record.name(row.recipient)
        record.integer(row.date.milliseconds)
        record.integer(row.likes)
    }
}

extension StoryProjectionOf: Projection where Held == Owned {
    package static var kind: Kind { .stories }
    package static func wrapped(_ row: StoryRow) -> StoryCore.Row { .story(row) }

    package static func unwrapped(_ row: StoryCore.Row) -> StoryRow? {
        if case .story(let row) = row { row } else { nil }
    }

    package static func passes(_ record: UnsafeRawBufferPointer, _ filters: [Filter]) -> Bool {
        guard let row = StoredStory(record) else { return false }
        return filters.allSatisfy { matches(row, $0) }
    }

    private static func matches(_ row: StoredStory, _ filter: Filter) -> Bool {
        switch filter {
        case .sender(let id): row.sender.isName(id)
        case .recipient(let id): row.recipient.isName(id)
        case .since(let time): row.date >= time
        case .until(let time): row.date < time
        case .owner, .story, .between, .prefecture, .email, .unseen: false
        }
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

private let storyIndexes = [
    Index(.storiesByDate, by: .date, isCounted: true),
    Index(.storiesByTitle, by: .title),
    Index(.storiesByLikes, by: .likes),
    Index(.storiesBySender, by: .sender),
    Index(.storiesByRecipient, by: .recipient),
    Index(.storiesBySenderDate, [.sender], by: .date, isCounted: true),
    Index(.storiesByRecipientDate, [.recipient], by: .date, isCounted: true),
    Index(.storiesByPairDate, [.sender, .recipient], by: .date),
]

// What owns its names and texts, as the daemon has it.
package typealias StoryProjection = StoryProjectionOf<Owned>
