package import StoryCore

/// Reads events out of the log's records.
///
/// It is total: an event of the users' own categories, of a type that this program does not know, or with data that
/// is not what the type promises, is a `.custom` one.
package final class EventDecoder {
    private let scanner: JSONScanner

    /// The longest data that is read, in bytes: above every line limit, for the log may be older than the limit.
    private static let greatestDataCount = 67_108_864

    package init() { scanner = JSONScanner(capacity: EventDecoder.greatestDataCount) }

    package func decode(_ record: EventRecord) -> Event {
        let json = record.json
        return Event(
            position: record.position, stream: EventDecoder.stream(json.part(record.stream)),
            streamNumber: record.streamNumber, version: record.version, time: record.time, by: record.by,
            key: record.key.map { RequestKey(trusted: ByteView(copying: json.part($0))) },
            tags: record.tags.map { ByteView(copying: json.part($0)) },
            meta: record.meta.map { ByteView(copying: json.part($0)) }, body: body(record))
    }

    /// What `data` holds for an event of this body.
    package static func dataBytes(of body: EventBody) -> [UInt8] {
        var bytes: [UInt8] = []
        EventDataEncoder.append(body, to: &bytes)
        return bytes
    }

    package static func typeName(of body: EventBody) -> EventType { EventName.of(body) }

    private func body(_ record: EventRecord) -> EventBody {
        let stream = record.json.part(record.stream)
        let type = record.json.part(record.type)
        let data = record.json.part(record.data)
        let category = stream.part(0..<(stream.first(0x2D) ?? 0))
        if let kind = Kind.owning(category), let body = typed(kind, type, data) { return body }
        return .custom(EventType(trusted: ByteView(copying: type)), data: ByteView(copying: data))
    }

    private func typed(
        _ kind: Kind, _ type: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer
    ) -> EventBody? {
        // Nothing may be read behind a record: it may end where the map does.
        let document = scanner.scan(data, readable: data.count)
        guard document.isValid, document.isObject else { return nil }
        let fields = EventFields(document)
        switch kind {
        case .users: return fields.userEvent(type).map { .user($0) }
        case .stories: return fields.storyEvent(type).map { .story($0) }
        case .messages: return fields.messageEvent(type).map { .message($0) }
        case .photos: return fields.photoEvent(type).map { .photo($0) }
        }
    }

    private static func stream(_ name: UnsafeRawBufferPointer) -> StreamName {
        // The log holds no other names; an empty category keeps even a name without a dash from being cut wrongly.
        guard let dash = name.first(0x2D) else { return StreamName(trusted: [0x2D], categoryCount: 0) }
        return StreamName(trusted: ByteView(copying: name), categoryCount: dash)
    }
}
