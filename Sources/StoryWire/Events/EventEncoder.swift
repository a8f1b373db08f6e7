package import StoryCore

/// Writes events as they lie in the log and go out on the wire.
package enum EventEncoder {
    /// Appends the event's JSON, without an LF, its members in the order that `EventRecord` tells.
    package static func append(_ event: Event, to bytes: inout [UInt8]) {
        let type = EventName.of(event.body)
        let names = event.stream.bytes.count + type.bytes.count + (event.key?.bytes.count ?? 0)
        let others = (event.tags?.json.count ?? 0) + (event.meta?.count ?? 0)
        bytes.appendWritten(atMost: fixedCount + names + others) { writer in
            event.stream.bytes.withUnsafeBytes { stream in
                type.bytes.withUnsafeBytes { head(event.place, stream, $0, &writer) }
            }
            if let key = event.key {
                writer.literal(#","key":"#)
                writer.name(key.bytes)
            }
            if let tags = event.tags {
                writer.literal(#","tags":"#)
                writer.raw(tags.json)
            }
            if let meta = event.meta {
                writer.literal(#","meta":"#)
                writer.raw(meta)
            }
            writer.literal(#","data":"#)
        }
        EventDataEncoder.append(event.body, to: &bytes)
        bytes.append(0x7D)
    }

    /// The same for an event that a plain line appends.
    package static func append(_ place: EventPlace, _ line: PlainAppend, to bytes: inout [UInt8]) {
        let count = line.stream.count + line.type.count + line.data.count
        bytes.appendWritten(atMost: fixedCount + count) { writer in
            head(place, line.stream, line.type, &writer)
            writer.literal(#","data":"#)
            writer.raw(line.data)
            writer.byte(0x7D)
        }
    }

    /// Writes what every event begins with, from its position to who wrote it.
    @inline(__always)
    private static func head(
        _ place: EventPlace, _ stream: UnsafeRawBufferPointer, _ type: UnsafeRawBufferPointer,
        _ writer: inout ByteWriter
    ) {
        writer.literal(#"{"position":"#)
        writer.integer(place.position.value)
        writer.literal(#","stream":"#)
        writer.name(stream)
        writer.literal(#","version":"#)
        writer.integer(place.version.value)
        writer.literal(#","type":"#)
        writer.name(type)
        writer.literal(#","time":""#)
        writer.time(place.time)
        writer.literal(#"","by":"#)
        writer.integer(UInt64(place.by))
    }

    /// What an event's labels, quotes, numbers and time take at most, in bytes.
    private static let fixedCount = 108 + 3 * ByteWriter.integerCount + Instant.textCount
}

/// Writes what an event's `data` holds.
enum EventDataEncoder {
    static func append(_ body: EventBody, to bytes: inout [UInt8]) {
        switch body {
        case .user(.signedUp(let event)): append(event, to: &bytes)
        case .user(.revised(let event)): append(event, to: &bytes)
        case .story(.posted(let event)): append(event, to: &bytes)
        case .story(.revised(let event)): append(event, to: &bytes)
        case .story(.liked(by: let user)), .story(.unliked(by: let user)):
            bytes.appendMember(#"{"user":"#, user)
            bytes.append(0x7D)
        case .message(.sent(let event)): append(event, to: &bytes)
        case .photo(.added(let event)): append(event, to: &bytes)
        case .photo(.exposureRevised(let event)): append(event, to: &bytes)
        case .story(.deleted), .message(.seen), .message(.deleted), .photo(.deleted): bytes.appendLiteral("{}")
        case .custom(_, let data): bytes.append(contentsOf: data)
        }
    }

    private static func append(_ event: UserSignedUp, to bytes: inout [UInt8]) {
        bytes.appendMember(#"{"name":"#, event.name)
        bytes.appendMember(#","email":"#, event.email)
        bytes.appendLiteral(#","prefecture":"#)
        bytes.appendInteger(event.prefecture)
        bytes.append(0x7D)
    }

    private static func append(_ event: UserRevised, to bytes: inout [UInt8]) {
        let start = bytes.count
        if let name = event.name { bytes.appendMember(#","name":"#, name) }
        if let email = event.email { bytes.appendMember(#","email":"#, email) }
        if let prefecture = event.prefecture {
            bytes.appendLiteral(#","prefecture":"#)
            bytes.appendInteger(prefecture)
        }
        bytes.closeObject(from: start)
    }

    private static func append(_ event: StoryPosted, to bytes: inout [UInt8]) {
        bytes.appendMember(#"{"title":"#, event.title)
        bytes.appendMember(#","message":"#, event.message)
        bytes.appendMember(#","sender":"#, event.sender)
        bytes.appendMember(#","recipient":"#, event.recipient)
        if let date = event.date { bytes.appendMember(#","date":"#, date) }
        bytes.append(0x7D)
    }

    private static func append(_ event: StoryRevised, to bytes: inout [UInt8]) {
        let start = bytes.count
        if let title = event.title { bytes.appendMember(#","title":"#, title) }
        if let message = event.message { bytes.appendMember(#","message":"#, message) }
        bytes.closeObject(from: start)
    }

    private static func append(_ event: MessageSent, to bytes: inout [UInt8]) {
        bytes.appendMember(#"{"text":"#, event.text)
        bytes.appendMember(#","sender":"#, event.sender)
        bytes.appendMember(#","recipient":"#, event.recipient)
        if let story = event.story { bytes.appendMember(#","story":"#, story) }
        if let date = event.date { bytes.appendMember(#","date":"#, date) }
        bytes.append(0x7D)
    }

    private static func append(_ event: PhotoAdded, to bytes: inout [UInt8]) {
        bytes.appendMember(#"{"owner":"#, event.owner)
        bytes.appendMember(#","iso":"#, event.iso)
        if let length = event.focalLength { bytes.appendMember(#","focalLength":"#, length) }
        bytes.appendMember(#","exposureValue":"#, event.exposureValue)
        if let aperture = event.lensAperture { bytes.appendMember(#","lensAperture":"#, aperture) }
        bytes.appendMember(#","exposureDuration":"#, event.exposureDuration)
        if let flash = event.flash { bytes.appendMember(#","flash":"#, flash) }
        if let date = event.date { bytes.appendMember(#","date":"#, date) }
        bytes.append(0x7D)
    }

    private static func append(_ event: PhotoExposureRevised, to bytes: inout [UInt8]) {
        let start = bytes.count
        if let value = event.exposureValue { bytes.appendMember(#","exposureValue":"#, value) }
        if let duration = event.exposureDuration { bytes.appendMember(#","exposureDuration":"#, duration) }
        bytes.closeObject(from: start)
    }
}

extension [UInt8] {
    /// Closes an object whose members were appended from `start` on, each with a comma before it.
    fileprivate mutating func closeObject(from start: Int) {
        if count == start { append(0x7B) } else { self[start] = 0x7B }
        append(0x7D)
    }
}
