import StoryCore
import TestSupport

/// Writes rows field by field, in the order of the contract: the oracle of `RowJSONEncoder`.
enum PlainRowEncoder {
    /// Appends one JSON object.
    static func append(_ row: Row, to bytes: inout [UInt8]) {
        switch row {
        case .user(let user): append(user, to: &bytes)
        case .story(let story): append(story, to: &bytes)
        case .message(let message): append(message, to: &bytes)
        case .photo(let photo): append(photo, to: &bytes)
        }
        bytes.append(0x7D)
    }

    private static func append(_ row: UserRow, to bytes: inout [UInt8]) {
        appendHead(row.id, row.version, row.position, to: &bytes)
        bytes.appendMember(#","name":"#, row.name)
        bytes.appendMember(#","email":"#, row.email)
        bytes.appendLiteral(#","prefecture":"#)
        bytes.appendInteger(row.prefecture)
        bytes.appendMember(#","date":"#, row.date)
    }

    private static func append(_ row: StoryRow, to bytes: inout [UInt8]) {
        appendHead(row.id, row.version, row.position, to: &bytes)
        bytes.appendMember(#","title":"#, row.title)
        bytes.appendMember(#","message":"#, row.message)
        bytes.appendMember(#","sender":"#, row.sender)
        bytes.appendMember(#","recipient":"#, row.recipient)
        bytes.appendMember(#","date":"#, row.date)
        bytes.appendLiteral(#","likes":"#)
        bytes.appendInteger(row.likes)
    }

    private static func append(_ row: MessageRow, to bytes: inout [UInt8]) {
        appendHead(row.id, row.version, row.position, to: &bytes)
        bytes.appendMember(#","text":"#, row.text)
        bytes.appendMember(#","sender":"#, row.sender)
        bytes.appendMember(#","recipient":"#, row.recipient)
        if let story = row.story { bytes.appendMember(#","story":"#, story) }
        bytes.appendMember(#","date":"#, row.date)
        bytes.appendLiteral(#","seen":"#)
        bytes.appendBoolean(row.seen)
    }

    private static func append(_ row: PhotoRow, to bytes: inout [UInt8]) {
        appendHead(row.id, row.version, row.position, to: &bytes)
        bytes.appendMember(#","owner":"#, row.owner)
        bytes.appendMember(#","iso":"#, row.iso)
        if let length = row.focalLength { bytes.appendMember(#","focalLength":"#, length) }
        bytes.appendMember(#","exposureValue":"#, row.exposureValue)
        if let aperture = row.lensAperture { bytes.appendMember(#","lensAperture":"#, aperture) }
        bytes.appendMember(#","exposureDuration":"#, row.exposureDuration)
        if let flash = row.flash { bytes.appendMember(#","flash":"#, flash) }
        bytes.appendMember(#","date":"#, row.date)
    }

    private static func appendHead(
        _ id: Identifier, _ version: Version, _ position: Position, to bytes: inout [UInt8]
    ) {
        bytes.appendMember(#"{"id":"#, id)
        bytes.appendLiteral(#","version":"#)
        bytes.appendInteger(version.value)
        bytes.appendLiteral(#","position":"#)
        bytes.appendInteger(position.value)
    }
}
