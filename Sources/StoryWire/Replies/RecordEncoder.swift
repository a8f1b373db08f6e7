import StoryCore

/// Writes rows out of their records: the same bytes as `RowEncoder` writes, without the row in between.
enum RecordEncoder {
    /// What an object has beside its names and texts: members' names, numbers, dates.
    private static let fixedCount = 512

    /// Appends one JSON object; appends nothing and answers false when the bytes are no row.
    static func append(_ kind: Kind, _ record: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Bool {
        switch kind {
        case .users: StoredUser(record).map { append($0, to: &bytes) } != nil
        case .stories: StoredStory(record).map { append($0, to: &bytes) } != nil
        case .messages: StoredMessage(record).map { append($0, to: &bytes) } != nil
        case .photos: StoredPhoto(record).map { append($0, to: &bytes) } != nil
        }
    }

    private static func append(_ row: StoredUser, to bytes: inout [UInt8]) {
        let name = JSONText(row.name)
        let email = JSONText(row.email)
        let names = row.id.count
        bytes.appendWritten(atMost: fixedCount + names + name.greatestCount + email.greatestCount) { writer in
            writer.head(row.id, row.version, row.position)
            writer.literal(#","name":"#)
            writer.text(name)
            writer.literal(#","email":"#)
            writer.text(email)
            writer.literal(#","prefecture":"#)
            writer.integer(UInt64(row.prefecture))
            writer.literal(#","date":"#)
            writer.date(row.date)
            writer.byte(0x7D)
        }
    }

    private static func append(_ row: StoredStory, to bytes: inout [UInt8]) {
        let title = JSONText(row.title)
        let message = JSONText(row.message)
        let names = row.id.count + row.sender.count + row.recipient.count
        bytes.appendWritten(atMost: fixedCount + names + title.greatestCount + message.greatestCount) { writer in
            writer.head(row.id, row.version, row.position)
            writer.literal(#","title":"#)
            writer.text(title)
            writer.literal(#","message":"#)
            writer.text(message)
            writer.literal(#","sender":"#)
            writer.name(row.sender)
            writer.literal(#","recipient":"#)
            writer.name(row.recipient)
            writer.literal(#","date":"#)
            writer.date(row.date)
            writer.literal(#","likes":"#)
            writer.integer(row.likes)
            writer.byte(0x7D)
        }
    }

    private static func append(_ row: StoredMessage, to bytes: inout [UInt8]) {
        let text = JSONText(row.text)
        let names = row.id.count + row.sender.count + row.recipient.count + (row.story?.count ?? 0)
        bytes.appendWritten(atMost: fixedCount + names + text.greatestCount) { writer in
            writer.head(row.id, row.version, row.position)
            writer.literal(#","text":"#)
            writer.text(text)
            writer.literal(#","sender":"#)
            writer.name(row.sender)
            writer.literal(#","recipient":"#)
            writer.name(row.recipient)
            if let story = row.story {
                writer.literal(#","story":"#)
                writer.name(story)
            }
            writer.literal(#","date":"#)
            writer.date(row.date)
            writer.literal(#","seen":"#)
            row.seen ? writer.literal("true") : writer.literal("false")
            writer.byte(0x7D)
        }
    }

    private static func append(_ row: StoredPhoto, to bytes: inout [UInt8]) {
        bytes.appendWritten(atMost: fixedCount + row.id.count + row.owner.count) { writer in
            writer.head(row.id, row.version, row.position)
            writer.literal(#","owner":"#)
            writer.name(row.owner)
            // Numbers with a fraction are written with the library's help, so nothing is won by writing them here.
            writer.other { appendSettings(row, to: &$0) }
            writer.literal(#","date":"#)
            writer.date(row.date)
            writer.byte(0x7D)
        }
    }

    private static func appendSettings(_ row: StoredPhoto, to bytes: inout [UInt8]) {
        bytes.appendMember(#","iso":"#, row.iso)
        if let length = row.focalLength { bytes.appendMember(#","focalLength":"#, length) }
        bytes.appendMember(#","exposureValue":"#, row.exposureValue)
        if let aperture = row.lensAperture { bytes.appendMember(#","lensAperture":"#, aperture) }
        bytes.appendMember(#","exposureDuration":"#, row.exposureDuration)
        if let flash = row.flash { bytes.appendMember(#","flash":"#, flash) }
    }
}

extension ByteWriter {
    /// `{"id":…,"version":…,"position":…`, open at its end.
    @inline(__always)
    fileprivate mutating func head(_ id: UnsafeRawBufferPointer, _ version: Version, _ position: Position) {
        literal(#"{"id":"#)
        name(id)
        literal(#","version":"#)
        integer(version.value)
        literal(#","position":"#)
        integer(position.value)
    }
}
