import CSimdJSON
import StoryCore

/// A proposed event as far as it was read; its parts are views of the line, or of its reader's memory.
struct EventDraft: ~Copyable {
    /// The event's stream and the version that the stream must have before it; only in an `APPEND *`.
    var stream: StreamName?
    var version: Version?
    var type: UnsafeRawBufferPointer?
    var data: UnsafeRawBufferPointer?
    var meta: UnsafeRawBufferPointer?
    var tags: UnsafeRawBufferPointer?

    /// True for a stream and a version alone, which are checked.
    var isCheck = false

    /// The proposal; nil if a required member is missing or wrong, which was noted.
    var proposal: EventProposal? {
        guard let type, let data else { return nil }
        return EventProposal(
            type: EventType(trusted: ByteView(borrowing: type)), data: ByteView(borrowing: data),
            meta: meta.map { ByteView(borrowing: $0) }, tags: tags.map { ByteView(borrowing: $0) })
    }
}

extension EventDraft {
    /// The element of an `APPEND *`; nil as `proposal` is.
    var streamProposal: StreamProposal? {
        guard let stream else { return nil }
        if isCheck { return version.map { StreamProposal(checking: stream, $0) } }
        return proposal.map { StreamProposal(stream: stream, version: version, event: $0) }
    }
}

/// The index of an event in the request's array; nil if it is the only one.
private struct ElementName {
    let index: Int?

    /// Returns a field's name for an error.
    func field(_ name: String) -> String { index.map { "[\($0)].\(name)" } ?? name }
}

/// A reader of the events of an `APPEND`.
final class ProposalReader {
    /// The most events that one `APPEND` may propose.
    static let maxCount = 1_000

    private let scanner: JSONScanner

    /// Creates a reader.
    ///
    /// - Parameter scanner: the scanner that reads the line's JSON.
    init(_ scanner: JSONScanner) { self.scanner = scanner }

    /// Reads the events of the line's JSON, an object or an array of objects; errors are noted in `parts`.
    ///
    /// - Parameters:
    ///   - isTogether: true if each event names its stream.
    ///   - take: called with each event as far as it could be read; it is valid until the call returns.
    /// - Throws: `tooLarge` for too many events; the errors of `take`.
    func read(
        _ document: JSONDocument, isTogether: Bool, _ parts: inout LineParts,
        _ take: (borrowing EventDraft) throws(Failure) -> Void
    ) throws(Failure) {
        guard document.isArray else { return try take(draft(document, ElementName(index: nil), isTogether, &parts)) }
        guard document.count <= ProposalReader.maxCount else {
            let limit = ProposalReader.maxCount
            throw Failure(.tooLarge, "one APPEND takes at most \(limit) events", .limit(limit))
        }
        if document.count == 0 { parts.reject("events", .empty, "there is no event in the array") }
        for index in 0..<document.count {
            guard document[index].pointee.value.kind == .object else {
                parts.reject("[\(index)]", .wrongType, "an event is a JSON object")
                continue
            }
            try take(draft(scanner.open(index), ElementName(index: index), isTogether, &parts))
        }
    }

    private func draft(
        _ document: JSONDocument, _ element: ElementName, _ isTogether: Bool, _ parts: inout LineParts
    ) -> EventDraft {
        let text = parts.bodyText
        var draft = EventDraft()
        var isTypeGiven = false
        var isStreamGiven = false
        for index in 0..<document.count {
            let member = document[index]
            if member.pointee.hasKey("type") {
                isTypeGiven = true
                draft.type = eventType(member, element, &parts)
            } else if member.pointee.hasKey("data") {
                draft.data = member.pointee.value.raw(in: text)
            } else if member.pointee.hasKey("meta") {
                draft.meta = meta(member, text, element, &parts)
            } else if member.pointee.hasKey("tags") {
                draft.tags = tags(member.pointee.value, element, &parts)
            } else if isTogether, member.pointee.hasKey("stream") {
                isStreamGiven = true
                draft.stream = stream(member.pointee.value, element, &parts)
            } else if isTogether, member.pointee.hasKey("version") {
                draft.version = version(member.pointee.value, element, &parts)
            } else {
                let known = isTogether ? "stream, version, type, data, meta and tags" : "type, data, meta and tags"
                parts.reject(
                    element.field(Refusals.echo(member.pointee.keyBytes)), .unknownField, "an event has \(known)")
            }
        }
        if isTogether, !isStreamGiven {
            parts.reject(element.field("stream"), .missing, "an event of APPEND * has a stream")
        }
        let isEvent = isTypeGiven || draft.data != nil || draft.meta != nil || draft.tags != nil
        guard isEvent || draft.version == nil else {
            draft.isCheck = true
            return draft
        }
        if !isTypeGiven { parts.reject(element.field("type"), .missing, "an event has a type") }
        if draft.data == nil { parts.reject(element.field("data"), .missing, "an event has data") }
        return draft
    }

    private func eventType(
        _ member: UnsafePointer<csj_member>, _ element: ElementName, _ parts: inout LineParts
    ) -> UnsafeRawBufferPointer? {
        guard member.pointee.value.isString else {
            parts.reject(element.field("type"), .wrongType, "a type is a string")
            return nil
        }
        let text = member.pointee.value.stringBytes
        if text.spellsName(EventType.length) { return text }
        let rule = text.nameRule(EventType.length)
        parts.reject(element.field("type"), rule, EventType.rule)
        return nil
    }

    /// Returns the object; nil also for `null`, which counts as absent.
    private func meta(
        _ member: UnsafePointer<csj_member>, _ text: UnsafeRawBufferPointer, _ element: ElementName,
        _ parts: inout LineParts
    ) -> UnsafeRawBufferPointer? {
        let kind = member.pointee.value.kind
        if kind == .object { return member.pointee.value.raw(in: text) }
        if kind != .null { parts.reject(element.field("meta"), .wrongType, "meta is a JSON object") }
        return nil
    }

    private func stream(_ value: csj_value, _ element: ElementName, _ parts: inout LineParts) -> StreamName? {
        if value.isString { return parts.streamName(value.stringBytes, field: element.field("stream")) }
        parts.reject(element.field("stream"), .wrongType, "a stream is a string")
        return nil
    }

    private func version(_ value: csj_value, _ element: ElementName, _ parts: inout LineParts) -> Version? {
        let maxVersion = Position.max.value
        switch value.kind {
        case .null: return nil
        case .integer:
            if let number = UInt64(exactly: value.integer), number <= maxVersion { return Version(number) }
            parts.reject(element.field("version"), .outOfRange, "a version is 0 to \(maxVersion)")
        case .boolean, .number, .string, .object, .array:
            parts.reject(element.field("version"), .wrongType, "a version is a whole number")
        }
        return nil
    }

    /// Returns the tags; nil also for `null` and an empty array, which count as absent.
    private func tags(
        _ value: csj_value, _ element: ElementName, _ parts: inout LineParts
    ) -> UnsafeRawBufferPointer? {
        guard value.kind == .array else {
            if value.kind != .null { parts.reject(element.field("tags"), .wrongType, "tags are an array of strings") }
            return nil
        }
        let document = scanner.elements(of: value)
        guard document.isValid, document.count <= EventTags.maxCount else {
            parts.reject(element.field("tags"), .tooLong, "an event has at most \(EventTags.maxCount) tags")
            return nil
        }
        guard document.count > 0 else { return nil }
        let start = parts.texts.end
        for index in 0..<document.count {
            parts.texts.add(index == 0 ? 0x5B : 0x2C)
            keepTag(document[index].pointee.value, element.field("tags[\(index)]"), &parts)
        }
        parts.texts.add(0x5D)
        return parts.texts.text(from: start)
    }

    /// Adds a tag to the text arena as the JSON string that the log keeps.
    private func keepTag(_ value: csj_value, _ field: @autoclosure () -> String, _ parts: inout LineParts) {
        guard value.isString else { return parts.reject(field(), .wrongType, "a tag is a string") }
        let tag = value.stringBytes
        guard EventTags.isTag(tag) else {
            return parts.reject(field(), EventTags.ruleBroken(by: tag), EventTags.rule)
        }
        parts.texts.add(0x22)
        parts.texts.add(tag)
        parts.texts.add(0x22)
    }
}
