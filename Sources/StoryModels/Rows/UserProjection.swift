package import StoryCore

/// The users by number, by address, and in the orders that `LIST users` has.
package enum UserProjectionOf<Held: Holding>: RowKeeping {
    package static var rows: Table { .users }
    package static var counts: Table { .userCounts }

    package static var indexes: [Index] { userIndexes }

    package static func number(of row: UserRowOf<Held>) -> StreamNumber { row.number }

    /// What makes two addresses one.
    package static func folded(_ row: UserRowOf<Held>) -> [UInt8] {
        row.email.withRawBytes { EmailAddress.folded($0) }
    }

    package static func writeFilterKey<Bytes: ByteWriting>(
        _ filter: FilterName, of row: UserRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) -> Bool {
        guard filter == .prefecture else { return false }
        key.byte(UInt8(clamping: row.prefecture))
        return true
    }

    package static func writeSortKey<Bytes: ByteWriting>(
        _ sort: SortKey, of row: UserRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) {
        switch sort {
        case .name: key.text(row.name)
        case .email: key.text(Text(folded(row)))
        default: key.date(row.date)
        }
    }

    package static func write<Bytes: ByteWriting>(
        _ row: UserRowOf<Held>, to record: inout RecordWriter<Bytes>
    ) {
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id)
        record.text(row.name)
        record.text(row.email)
        record.integer(UInt8(clamping: row.prefecture))
        record.integer(row.date.milliseconds)
    }
}

extension UserProjectionOf: Projection where Held == Owned {
    package static var kind: Kind { .users }
    package static func wrapped(_ row: UserRow) -> StoryCore.Row { .user(row) }

    package static func unwrapped(_ row: StoryCore.Row) -> UserRow? {
        if case .user(let row) = row { row } else { nil }
    }

    package static func passes(_ record: UnsafeRawBufferPointer, _ filters: [Filter]) -> Bool {
        guard let row = StoredUser(record) else { return false }
        return filters.allSatisfy { matches(row, $0) }
    }

    private static func matches(_ row: StoredUser, _ filter: Filter) -> Bool {
        switch filter {
        case .prefecture(let number): Int64(row.prefecture) == number
        case .email(let email): EmailAddress.folded(row.email) == email
        case .since(let time): row.date >= time
        case .until(let time): row.date < time
        case .sender, .recipient, .owner, .story, .between, .unseen: false
        }
    }

    package static func decode(_ bytes: [UInt8], number: StreamNumber) -> UserRow? {
        bytes.withUnsafeBytes { bytes in
            guard let stored = StoredUser(bytes) else { return nil }
            return UserRow(
                id: Identifier(lent: stored.id), number: number, version: stored.version, position: stored.position,
                name: Text(lent: stored.name), email: Text(lent: stored.email), prefecture: Int64(stored.prefecture),
                date: stored.date)
        }
    }
}

private let userIndexes = [
    Index(.usersByDate, by: .date, isCounted: true),
    Index(.usersByName, by: .name),
    Index(.usersByEmail, by: .email),
    Index(.usersByPrefectureDate, [.prefecture], by: .date, isCounted: true),
    Index(.usersByPrefectureName, [.prefecture], by: .name),
    Index(.usersByPrefectureEmail, [.prefecture], by: .email),
]

// What owns its names and texts, as the daemon has it.
package typealias UserProjection = UserProjectionOf<Owned>
