package import StoryCore

/// Writes events as they lie in the log and go out on the wire.
package enum EventEncoder {
    /// Appends the event's JSON, without an LF, its members in the order that `EventRecord` tells.
    package static func append(_ event: Event, to bytes: inout [UInt8]) {
        guard case .custom(let type, let data) = event.body else { return appendContent(event, to: &bytes) }
        bytes.appendWritten(atMost: count(event, type) + data.count) { writer in
            head(event, type, &writer)
            writer.raw(data)
            writer.byte(0x7D)
        }
    }

    /// True when a record has the type, data, meta and tags that a proposal would be written with.
    package static func says(_ proposal: EventProposal, _ record: EventRecord) -> Bool {
        let json = record.json
        guard type(of: proposal.body).spelling.withUnsafeBytes({ json.part(record.type).elementsEqual($0) }),
            proposal.meta == record.meta.map({ ByteView(lending: json.part($0)) }),
            proposal.tags == record.tags.map({ ByteView(lending: json.part($0)) })
        else { return false }
        return json.part(record.data).elementsEqual(data(of: proposal.body))
    }

    /// The type that an event is written with.
    package static func type(of body: EventBody) -> EventType { EventName.of(body) }

    /// The data that an event is written with.
    package static func data(of body: EventBody) -> [UInt8] {
        var data: [UInt8] = []
        EventDataEncoder.append(body, to: &data)
        return data
    }

    private static func appendContent(_ event: Event, to bytes: inout [UInt8]) {
        let type = EventName.of(event.body)
        bytes.appendWritten(atMost: count(event, type)) { head(event, type, &$0) }
        EventDataEncoder.append(event.body, to: &bytes)
        bytes.append(0x7D)
    }

    /// No more bytes than this are written before and behind the data.
    private static func count(_ event: Event, _ type: EventType) -> Int {
        let names = event.stream.spelling.count + type.spelling.count + (event.key?.spelling.count ?? 0)
        return fixedCount + names + (event.tags?.count ?? 0) + (event.meta?.count ?? 0)
    }

    /// Writes everything up to the data.
    private static func head(_ event: Event, _ type: EventType, _ writer: inout ByteWriter) {
        writer.literal(#"{"position":"#)
        writer.integer(event.position.value)
        writer.literal(#","stream":"#)
        writer.name(event.stream.spelling)
        writer.literal(#","version":"#)
        writer.integer(event.version.value)
        writer.literal(#","type":"#)
        writer.name(type.spelling)
        writer.literal(#","time":""#)
        writer.time(event.time)
        writer.literal(#"","by":"#)
        writer.integer(UInt64(event.by))
        if let key = event.key {
            writer.literal(#","key":"#)
            writer.name(key.spelling)
        }
        if let tags = event.tags {
            writer.literal(#","tags":"#)
            writer.raw(tags)
        }
        if let meta = event.meta {
            writer.literal(#","meta":"#)
            writer.raw(meta)
        }
        writer.literal(#","data":"#)
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
        case .custom(_, let data): data.withUnsafeBytes { bytes.appendRaw($0) }
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
