import StoryCore
import TestSupport

/// The tables as they must be, worked out from the old folds' rows, one by one, without any schema.
struct SchemaTables {
    /// By the tables' names.
    private(set) var entries: [String: [[UInt8]: [UInt8]]] = [:]

    init(_ events: [Event]) {
        var emails: [StreamNumber: [UInt8]] = [:]
        for event in events { addLike(event) }
        let rows = PlainRows(events)
        for row in rows.rows(.users).compactMap(\.user) { add(row) }
        for row in rows.rows(.stories).compactMap(\.story) { add(row) }
        for row in rows.rows(.messages).compactMap(\.message) { add(row) }
        for row in rows.rows(.photos).compactMap(\.photo) { add(row) }
        for event in events { addEmail(event, &emails) }
    }

    private mutating func addLike(_ event: Event) {
        if case .story(.liked(let user)) = event.body { put("likes", six(event.streamNumber.value) + name(user)) }
        if case .story(.unliked(let user)) = event.body {
            let key = six(event.streamNumber.value) + name(user)
            entries["likes"]?[key] = nil
        }
    }

    /// Addresses go from one to another in the order of the log.
    private mutating func addEmail(_ event: Event, _ emails: inout [StreamNumber: [UInt8]]) {
        let before = emails[event.streamNumber]
        var after = before
        if case .user(.signedUp(let event)) = event.body, before == nil {
            after = EmailAddress.folded(event.email.bytes)
        }
        if case .user(.signedUp) = event.body, event.version > Version(1) { after = before }
        if case .user(.revised(let revised)) = event.body, before != nil {
            after = revised.email.map { EmailAddress.folded($0.bytes) } ?? before
        }
        guard before != after else { return }
        emails[event.streamNumber] = after
        if let before { entries["userEmails"]?[before] = nil }
        guard let after, !after.isEmpty else { return }
        entries["userEmails", default: [:]][after] = six(event.streamNumber.value) + event.stream.id.bytes
    }

    private mutating func add(_ row: UserRow) {
        addRow("user", row.id, row.number)
        let prefecture = integer(row.prefecture)
        let email = text(EmailAddress.folded(row.email.bytes))
        put("usersByDate", date(row.date), row.number)
        put("usersByName", text(row.name.bytes), row.number)
        put("usersByEmail", email, row.number)
        put("usersByPrefectureDate", prefecture + date(row.date), row.number)
        put("usersByPrefectureName", prefecture + text(row.name.bytes), row.number)
        put("usersByPrefectureEmail", prefecture + email, row.number)
        count("userCounts", [[0], [1] + prefecture])
    }

    private mutating func add(_ row: StoryRow) {
        addRow("story", row.id, row.number)
        let (sender, recipient) = (name(row.sender), name(row.recipient))
        put("storiesByDate", date(row.date), row.number)
        put("storiesByTitle", text(row.title.bytes), row.number)
        put("storiesByLikes", integer(Int64(row.likes)), row.number)
        put("storiesBySender", sender, row.number)
        put("storiesByRecipient", recipient, row.number)
        put("storiesBySenderDate", sender + date(row.date), row.number)
        put("storiesByRecipientDate", recipient + date(row.date), row.number)
        count("storyCounts", [[0], [1] + sender, [2] + recipient, [3] + sender + recipient])
    }

    private mutating func add(_ row: MessageRow) {
        addRow("message", row.id, row.number)
        let (sender, recipient) = (name(row.sender), name(row.recipient))
        let pair = Bytes.precedes(row.sender.bytes, row.recipient.bytes) ? sender + recipient : recipient + sender
        let date = date(row.date)
        put("messagesByDate", date, row.number)
        put("messagesBySenderDate", sender + date, row.number)
        put("messagesByRecipientDate", recipient + date, row.number)
        put("messagesByConversationDate", pair + date, row.number)
        if let story = row.story { put("messagesByStoryDate", name(story) + date, row.number) }
        count("messageCounts", [[0], [1] + sender, [2] + recipient, [3] + pair, [6] + sender + recipient])
        if let story = row.story { count("messageCounts", [[4] + name(story)]) }
        guard !row.seen else { return }
        put("messagesUnseenByDate", date, row.number)
        put("messagesUnseenByRecipientDate", recipient + date, row.number)
        count("messageCounts", [[5], [7] + pair, [8] + recipient, [9] + sender])
        if let story = row.story { count("messageCounts", [[10] + name(story)]) }
    }

    private mutating func add(_ row: PhotoRow) {
        addRow("photo", row.id, row.number)
        let owner = name(row.owner)
        put("photosByDate", date(row.date), row.number)
        put("photosByOwnerDate", owner + date(row.date), row.number)
        let sorts: [(String, [UInt8])] = [
            ("ISO", double(row.iso)), ("FocalLength", optional(row.focalLength)),
            ("ExposureValue", double(row.exposureValue)), ("LensAperture", optional(row.lensAperture)),
            ("ExposureDuration", double(row.exposureDuration.seconds)),
        ]
        for (sort, key) in sorts {
            put("photosBy\(sort)", key, row.number)
            put("photosByOwner\(sort)", owner + key, row.number)
        }
        count("photoCounts", [[0], [1] + owner])
    }

    private mutating func addRow(_ kind: String, _ id: Identifier, _ number: StreamNumber) {
        entries["\(kind)IDs", default: [:]][six(number.value)] = id.bytes
    }

    private mutating func put(_ table: String, _ key: [UInt8]) { entries[table, default: [:]][key] = [] }

    private mutating func put(_ table: String, _ key: [UInt8], _ number: StreamNumber) {
        put(table, key + six(number.value))
    }

    private mutating func count(_ table: String, _ keys: [[UInt8]]) {
        for key in keys {
            let old = entries[table]?[key]?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
            entries[table, default: [:]][key] = six(old + 1)
        }
    }

    private func six(_ value: UInt64) -> [UInt8] { (0..<6).map { UInt8(value >> UInt64(40 - 8 * $0) & 255) } }
    private func eight(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> UInt64(56 - 8 * $0) & 255) } }
    private func name(_ id: Identifier) -> [UInt8] { id.bytes + [0] }

    private func text(_ bytes: [UInt8]) -> [UInt8] {
        bytes.prefix(200).flatMap { $0 == 0 ? [0, 0xFF] : [$0] } + [0, 0]
    }

    /// A byte that says how many follow, which are the number's last ones.
    private func integer(_ value: Int64) -> [UInt8] {
        var bytes = eight(UInt64(bitPattern: value))
        let padding: UInt8 = value < 0 ? 0xFF : 0
        while bytes.first == padding { bytes.removeFirst() }
        return [value < 0 ? 0x7F - UInt8(bytes.count) : 0x80 + UInt8(bytes.count)] + bytes
    }

    private func date(_ date: Instant) -> [UInt8] {
        let bound: Int64 = 140_737_488_355_328
        let long = eight(UInt64(bitPattern: date.milliseconds) ^ 1 << 63)
        if date.milliseconds <= -bound { return [0, 0, 0, 0, 0, 0] + long }
        if date.milliseconds >= bound - 1 { return [255, 255, 255, 255, 255, 255] + long }
        return six(UInt64(date.milliseconds + bound))
    }

    private func double(_ value: Double) -> [UInt8] {
        eight(value < 0 ? ~value.bitPattern : (value + 0).bitPattern | 1 << 63)
    }

    private func optional(_ value: Double?) -> [UInt8] { value.map { [0] + double($0) } ?? [1] }
}
