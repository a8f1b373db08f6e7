package import StoryCore

/// Writes rows as `GET` and `LIST` answer them, their fields in the order of the contract.
package enum RowEncoder {
    /// Appends one JSON object.
    package static func append(_ row: Row, to bytes: inout [UInt8]) {
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

/// A name with its colon, and a value: `,"title":` and `"One"`.
extension [UInt8] {
    mutating func appendMember(_ name: StaticString, _ text: Text) {
        appendLiteral(name)
        text.spelling.withUnsafeBytes { appendString($0) }
    }

    mutating func appendMember(_ name: StaticString, _ id: Identifier) {
        appendLiteral(name)
        appendName(id.spelling)
    }

    mutating func appendMember(_ name: StaticString, _ date: Instant) {
        appendLiteral(name)
        append(0x22)
        date.append(to: &self)
        append(0x22)
    }

    mutating func appendMember(_ name: StaticString, _ number: Double) {
        appendLiteral(name)
        appendNumber(number)
    }

    mutating func appendMember(_ name: StaticString, _ duration: ExposureDuration) {
        appendLiteral(name)
        append(0x22)
        appendInteger(UInt64(duration.numerator))
        append(0x2F)
        appendInteger(UInt64(duration.denominator))
        append(0x22)
    }

    mutating func appendMember(_ name: StaticString, _ flash: Flash) {
        appendLiteral(name)
        switch flash {
        case .none: appendLiteral(#""none""#)
        case .normal: appendLiteral(#""normal""#)
        case .redEye: appendLiteral(#""redEye""#)
        }
    }
}
