import CSimdJSON
import StoryCore

/// One proposed event as far as it was read.
struct EventDraft {
    /// Its place in the request's array; nil where it stands alone.
    let index: Int?
    /// Where it is to go, and what that stream must be at before it: only in an `APPEND *`.
    var stream: StreamName?
    var version: Version?
    var type: EventType?
    var data: [UInt8]?
    var meta: [UInt8]?
    /// The array as it stands in the line: it is read when the rest of the line was.
    var tagsText: UnsafeRawBufferPointer?
    var tags: EventTags?

    /// A field's name in an error.
    func field(_ name: String) -> String { index.map { "[\($0)].\(name)" } ?? name }

    /// - Throws: `internal` where a part that was checked is missing.
    func proposal(_ parts: LineParts) throws(Failure) -> EventProposal {
        EventProposal(type: try parts.known(type), data: try parts.known(data), meta: meta, tags: tags)
    }
}

/// The events of an `APPEND`.
extension RequestReader {
    /// How many events one `APPEND` may propose.
    static let greatestProposalCount = 1_000

    /// The events of the line's JSON, an object or an array of them; what is wrong with them is noted.
    ///
    /// - Parameter isTogether: true where each event names its stream.
    /// - Throws: `tooLarge` for too many events.
    func drafts(
        _ document: JSONDocument, isTogether: Bool, _ parts: inout LineParts
    ) throws(Failure) -> [EventDraft] {
        var drafts = try members(document, isTogether, &parts)
        // Reading another text ends the document, so what is made of the line's JSON was copied before.
        for index in drafts.indices {
            guard let text = drafts[index].tagsText else { continue }
            drafts[index].tags = tags(text, drafts[index], &parts)
        }
        return drafts
    }

    private func members(
        _ document: JSONDocument, _ isTogether: Bool, _ parts: inout LineParts
    ) throws(Failure) -> [EventDraft] {
        guard document.isArray else { return [draft(document, nil, isTogether, &parts)] }
        guard document.count <= RequestReader.greatestProposalCount else {
            let limit = RequestReader.greatestProposalCount
            throw Failure(.tooLarge, "one APPEND takes at most \(limit) events", .limit(limit))
        }
        if document.count == 0 { parts.reject("events", .empty, "there is no event in the array") }
        var drafts: [EventDraft] = []
        drafts.reserveCapacity(document.count)
        for index in 0..<document.count {
            guard document[index].pointee.value.kind == .object else {
                parts.reject("[\(index)]", .wrongType, "an event is a JSON object")
                continue
            }
            drafts.append(draft(scanner.open(index), index, isTogether, &parts))
        }
        return drafts
    }

    private func draft(
        _ document: JSONDocument, _ index: Int?, _ isTogether: Bool, _ parts: inout LineParts
    ) -> EventDraft {
        let text = parts.bodyText
        var draft = EventDraft(index: index)
        var isTypeGiven = false
        var isStreamGiven = false
        for index in 0..<document.count {
            let member = document[index]
            let value = member.pointee.value
            if member.pointee.hasKey("type") {
                isTypeGiven = true
                draft.type = eventType(value, draft, &parts)
            } else if member.pointee.hasKey("data") {
                draft.data = [UInt8](copying: value.raw(in: text))
            } else if member.pointee.hasKey("meta") {
                draft.meta = meta(value, draft, &parts)
            } else if member.pointee.hasKey("tags") {
                draft.tagsText = tagsText(value, draft, &parts)
            } else if isTogether, member.pointee.hasKey("stream") {
                isStreamGiven = true
                draft.stream = stream(value, draft, &parts)
            } else if isTogether, member.pointee.hasKey("version") {
                draft.version = version(value, draft, &parts)
            } else {
                let known = isTogether ? "stream, version, type, data, meta and tags" : "type, data, meta and tags"
                let name = Refusals.echo(member.pointee.keyBytes)
                parts.reject(draft.field(name), .unknownField, "an event has \(known)")
            }
        }
        if isTogether, !isStreamGiven {
            parts.reject(draft.field("stream"), .missing, "an event of APPEND * has a stream")
        }
        if !isTypeGiven { parts.reject(draft.field("type"), .missing, "an event has a type") }
        if draft.data == nil { parts.reject(draft.field("data"), .missing, "an event has data") }
        return draft
    }

    private func eventType(_ value: csj_value, _ draft: EventDraft, _ parts: inout LineParts) -> EventType? {
        guard value.isString else {
            parts.reject(draft.field("type"), .wrongType, "a type is a string")
            return nil
        }
        let text = value.stringBytes
        if text.spellsName(EventType.length) { return EventType(trusted: [UInt8](copying: text)) }
        let rule = text.nameRule(EventType.length)
        parts.reject(draft.field("type"), rule, "a type is 1–64 bytes of A–Z a–z 0–9 . _ ~ -")
        return nil
    }

    /// Nil also for a `null`, which is as if it were not there.
    private func meta(_ value: csj_value, _ draft: EventDraft, _ parts: inout LineParts) -> [UInt8]? {
        if value.kind == .object { return [UInt8](copying: value.raw(in: parts.bodyText)) }
        if value.kind != .null { parts.reject(draft.field("meta"), .wrongType, "meta is a JSON object") }
        return nil
    }

    private func stream(_ value: csj_value, _ draft: EventDraft, _ parts: inout LineParts) -> StreamName? {
        if value.isString { return parts.streamName(value.stringBytes, field: draft.field("stream")) }
        parts.reject(draft.field("stream"), .wrongType, "a stream is a string")
        return nil
    }

    private func version(_ value: csj_value, _ draft: EventDraft, _ parts: inout LineParts) -> Version? {
        let greatest = Position.greatest.value
        switch value.kind {
        case .null: return nil
        case .integer:
            if let number = UInt64(exactly: value.integer), number <= greatest { return Version(number) }
            parts.reject(draft.field("version"), .outOfRange, "a version is 0 to \(greatest)")
        case .boolean, .number, .string, .object, .array:
            parts.reject(draft.field("version"), .wrongType, "a version is a whole number")
        }
        return nil
    }

    private func tagsText(
        _ value: csj_value, _ draft: EventDraft, _ parts: inout LineParts
    ) -> UnsafeRawBufferPointer? {
        if value.kind == .array { return value.raw(in: parts.bodyText) }
        if value.kind != .null { parts.reject(draft.field("tags"), .wrongType, "tags are an array of strings") }
        return nil
    }

    /// Nil also for an empty array, which is as if it were not there.
    private func tags(
        _ text: UnsafeRawBufferPointer, _ draft: EventDraft, _ parts: inout LineParts
    ) -> EventTags? {
        let document = scanner.scan(text, readable: text.count)
        guard document.count <= EventTags.maxCount else {
            parts.reject(draft.field("tags"), .tooLong, "an event has at most \(EventTags.maxCount) tags")
            return nil
        }
        var tags: [[UInt8]] = []
        for index in 0..<document.count {
            let value = document[index].pointee.value
            guard value.isString else {
                parts.reject(draft.field("tags[\(index)]"), .wrongType, "a tag is a string")
                continue
            }
            let tag = [UInt8](copying: value.stringBytes)
            if !EventTags.isTag(tag) {
                let rule: FieldRule =
                    tag.isEmpty ? .empty : tag.count > EventTags.length.upperBound ? .tooLong : .malformed
                let message = "a tag is 1–64 bytes of printable ASCII, without spaces, \" and \\"
                parts.reject(draft.field("tags[\(index)]"), rule, message)
            }
            tags.append(tag)
        }
        return EventTags(tags)
    }
}
