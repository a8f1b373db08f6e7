import StoryCore
import StoryModels
import TestSupport

/// The tables of the content models as they must be, worked out row by row without any `Index`.
struct ExpectedTables {
    private(set) var keys: [Table: Set<[UInt8]>] = [:]
    private(set) var counts: [Table: [[UInt8]: UInt64]] = [:]

    init(_ rows: PlainRows) {
        for row in rows.rows(.users).compactMap(\.user) { add(row) }
        for row in rows.rows(.stories).compactMap(\.story) { add(row) }
        for row in rows.rows(.messages).compactMap(\.message) { add(row) }
        for row in rows.rows(.photos).compactMap(\.photo) { add(row) }
    }

    private mutating func add(_ row: UserRow) {
        let prefecture = [UInt8(row.prefecture)]
        let email = text(EmailAddress.folded(row.email.bytes))
        count(.userCounts, .usersByDate, [], date(row.date), row.number)
        put(.usersByName, text(row.name.bytes), row.number)
        put(.usersByEmail, email, row.number)
        count(.userCounts, .usersByPrefectureDate, prefecture, date(row.date), row.number)
        put(.usersByPrefectureName, prefecture + text(row.name.bytes), row.number)
        put(.usersByPrefectureEmail, prefecture + email, row.number)
    }

    private mutating func add(_ row: StoryRow) {
        let (sender, recipient) = (name(row.sender), name(row.recipient))
        count(.storyCounts, .storiesByDate, [], date(row.date), row.number)
        put(.storiesByTitle, text(row.title.bytes), row.number)
        put(.storiesByLikes, six(row.likes), row.number)
        put(.storiesBySender, sender, row.number)
        put(.storiesByRecipient, recipient, row.number)
        count(.storyCounts, .storiesBySenderDate, sender, date(row.date), row.number)
        count(.storyCounts, .storiesByRecipientDate, recipient, date(row.date), row.number)
        put(.storiesByPairDate, sender + recipient + date(row.date), row.number)
    }

    private mutating func add(_ row: MessageRow) {
        let (sender, recipient) = (name(row.sender), name(row.recipient))
        let pair = Bytes.precedes(row.sender.bytes, row.recipient.bytes) ? sender + recipient : recipient + sender
        let date = date(row.date)
        count(.messageCounts, .messagesByDate, [], date, row.number)
        count(.messageCounts, .messagesBySenderDate, sender, date, row.number)
        count(.messageCounts, .messagesByRecipientDate, recipient, date, row.number)
        count(.messageCounts, .messagesByConversationDate, pair, date, row.number)
        if let story = row.story { count(.messageCounts, .messagesByStoryDate, name(story), date, row.number) }
        guard !row.seen else { return }
        count(.messageCounts, .messagesUnseenByDate, [], date, row.number)
        count(.messageCounts, .messagesUnseenByRecipientDate, recipient, date, row.number)
    }

    private mutating func add(_ row: PhotoRow) {
        let owner = name(row.owner)
        count(.photoCounts, .photosByDate, [], date(row.date), row.number)
        count(.photoCounts, .photosByOwnerDate, owner, date(row.date), row.number)
        let sorts: [(Table, Table, [UInt8])] = [
            (.photosByISO, .photosByOwnerISO, double(row.iso)),
            (.photosByFocalLength, .photosByOwnerFocalLength, optional(row.focalLength)),
            (.photosByExposureValue, .photosByOwnerExposureValue, double(row.exposureValue)),
            (.photosByLensAperture, .photosByOwnerLensAperture, optional(row.lensAperture)),
            (.photosByExposureDuration, .photosByOwnerExposureDuration, double(row.exposureDuration.seconds)),
        ]
        for (all, owned, key) in sorts {
            put(all, key, row.number)
            put(owned, owner + key, row.number)
        }
    }

    private mutating func put(_ table: Table, _ key: [UInt8], _ number: StreamNumber) {
        keys[table, default: []].insert(key + six(number.value))
    }

    private mutating func count(
        _ counts: Table, _ table: Table, _ prefix: [UInt8], _ key: [UInt8], _ number: StreamNumber
    ) {
        put(table, prefix + key, number)
        self.counts[counts, default: [:]][[table.rawValue] + prefix, default: 0] += 1
    }

    private func six(_ value: UInt64) -> [UInt8] { (0..<6).map { UInt8(value >> UInt64(40 - 8 * $0) & 255) } }
    private func name(_ id: Identifier) -> [UInt8] { id.bytes + [0] }
    private func text(_ bytes: [UInt8]) -> [UInt8] {
        bytes.prefix(200).flatMap { $0 == 0 ? [0, 0xFF] : [$0] } + [0, 0]
    }

    private func eight(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> UInt64(56 - 8 * $0) & 255) } }
    private func date(_ date: Instant) -> [UInt8] { eight(UInt64(bitPattern: date.milliseconds) ^ 1 << 63) }
    private func double(_ value: Double) -> [UInt8] {
        eight(value < 0 ? ~value.bitPattern : (value + 0).bitPattern | 1 << 63)
    }

    private func optional(_ value: Double?) -> [UInt8] { value.map { [0] + double($0) } ?? [1] }
}
