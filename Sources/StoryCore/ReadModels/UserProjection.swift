/// The users by number, by address, and in the orders that `LIST users` has.
package enum UserProjection: Projection {
    package static let rows = Table.users
    package static let counts = Table.userCounts

    package static let indexes = [
        Index(.usersByDate, by: .date, isCounted: true),
        Index(.usersByName, by: .name),
        Index(.usersByEmail, by: .email),
        Index(.usersByPrefectureDate, [.prefecture], by: .date, isCounted: true),
        Index(.usersByPrefectureName, [.prefecture], by: .name),
        Index(.usersByPrefectureEmail, [.prefecture], by: .email),
    ]

    package static func number(of row: UserRow) -> StreamNumber { row.number }

    /// What makes two addresses one.
    package static func folded(_ row: UserRow) -> [UInt8] { EmailAddress.folded(row.email.bytes) }

    package static func matches(_ row: UserRow, _ filter: Filter) -> Bool {
        switch filter {
        case .prefecture(let number): row.prefecture == number
        case .email(let email): folded(row) == email
        case .sender, .recipient, .owner, .story, .between, .unseen: false
        }
    }

    package static func writeFilterKey(_ filter: FilterName, of row: UserRow, to key: inout KeyWriter) -> Bool {
        guard filter == .prefecture else { return false }
        key.byte(UInt8(clamping: row.prefecture))
        return true
    }

    package static func writeSortKey(_ sort: SortKey, of row: UserRow, to key: inout KeyWriter) {
        switch sort {
        case .name: key.text(row.name)
        case .email: key.text(Text(folded(row)))
        default: key.date(row.date)
        }
    }

    package static func encode(_ row: UserRow) -> [UInt8] {
        var record = RecordWriter(capacity: 64 + row.name.bytes.count + row.email.bytes.count)
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id.bytes)
        record.text(row.name)
        record.text(row.email)
        record.integer(UInt8(clamping: row.prefecture))
        record.integer(row.date.milliseconds)
        return record.bytes
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
