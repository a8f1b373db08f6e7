import CSimdJSON
package import StoryCore

/// Reads events as JSON lines, as `READ` and an export have them, so that they can be written to a log anew.
///
/// The members may stand in any order. Of data, meta and tags nothing is changed.
package final class EventLineReader {
    /// Longer than any line that a log may hold, in bytes: above every line limit, for a log may be older than the limit.
    package static let maxCount = 67_108_864

    private let scanner: JSONScanner
    private var errors: [FieldError] = []

    package init() {
        scanner = JSONScanner(capacity: EventLineReader.maxCount + LineFramer.slack)
    }

    /// Reads one line, its LF taken away, behind which `LineFramer.slack` bytes can be read.
    ///
    /// - Returns: the event, with the stream number 0; it is good until the next line is read, and while this one is lent.
    /// - Throws: `syntax` where the line is no JSON object, `invalid` with every member that is wrong.
    package func read(_ line: UnsafeRawBufferPointer) throws(Failure) -> Event {
        try LineCheck.check(line)
        let document = scanner.scan(line, readable: line.count + LineFramer.slack)
        guard document.isValid else { throw Refusals.json(document, line, at: 0) }
        guard document.isObject else { throw Refusals.syntax("an event is a JSON object", at: 0) }
        errors.removeAll(keepingCapacity: true)
        var members = EventMembersRead()
        for index in 0..<document.count {
            let member = document[index]
            do throws(FieldError) {
                try take(member.pointee, line, &members)
            } catch {
                errors.append(error)
            }
        }
        let event = members.event(&errors)
        guard errors.isEmpty, let event else { throw Refusals.invalid(errors) }
        return event
    }

    private func take(
        _ member: csj_member, _ line: UnsafeRawBufferPointer, _ members: inout EventMembersRead
    ) throws(FieldError) {
        let value = EventMember(name: String(decoding: member.keyBytes, as: UTF8.self), value: member.value, line: line)
        switch value.name {
        case "position":
            members.position = Position(try value.number(1...Position.max.value))
        case "version":
            members.version = Version(try value.number(1...Position.max.value))
        case "by":
            members.by = UInt32(truncatingIfNeeded: try value.number(0...UInt64(UInt32.max)))
        case "stream":
            members.stream = try value.stream()
        case "type":
            members.type = EventType(
                trusted: ByteView(
                    borrowing: try value.text(EventType.length, "a type is 1–64 bytes of A–Z a–z 0–9 . _ ~ -")))
        case "time":
            members.time = try value.time()
        case "key":
            let key = try value.text(RequestKey.length, "a key is 1–128 bytes of A–Z a–z 0–9 . _ ~ -")
            members.key = RequestKey(trusted: ByteView(borrowing: key))
        case "tags": members.tags = try value.tags(scanner)
        case "meta": members.meta = try value.object()
        case "data":
            members.data = ByteView(borrowing: value.value.raw(in: line))
        default:
            let known = "position, stream, version, type, time, by, key, tags, meta and data"
            throw FieldError(
                field: Refusals.echo(member.keyBytes), rule: .unknownField, message: "an event has \(known)")
        }
    }
}

/// One member of an event's JSON.
private struct EventMember {
    let name: String
    let value: csj_value
    let line: UnsafeRawBufferPointer

    func number(_ range: ClosedRange<UInt64>) throws(FieldError) -> UInt64 {
        guard value.kind == .integer else { throw wrong(.wrongType, "\(name) is a whole number") }
        guard let number = UInt64(exactly: value.integer), range.contains(number) else {
            throw wrong(.outOfRange, "\(name) is \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A string of the ID alphabet.
    func text(_ length: ClosedRange<Int>, _ rule: String) throws(FieldError) -> UnsafeRawBufferPointer {
        guard value.isString else { throw wrong(.wrongType, "\(name) is a string") }
        guard value.stringBytes.spellsName(length) else { throw wrong(value.stringBytes.nameRule(length), rule) }
        return value.stringBytes
    }

    func stream() throws(FieldError) -> StreamName {
        guard value.isString else { throw wrong(.wrongType, "\(name) is a string") }
        if let stream = StreamName(spelled: value.stringBytes) { return stream }
        throw wrong(.malformed, "a stream is CATEGORY-ID, each 1–64 bytes of A–Z a–z 0–9 . _ ~ -, no - in the category")
    }

    func time() throws(FieldError) -> Instant {
        guard value.isString else { throw wrong(.wrongType, "\(name) is a string") }
        switch Instant.read(utf8: value.stringBytes) {
        case .instant(let time): return time
        case .outOfRange: throw wrong(.outOfRange, "\(name) is \(Instant.calendar)")
        case .malformed: throw wrong(.malformed, "\(name) is an RFC 3339 time, such as 2026-11-20T12:34:56.789Z")
        }
    }

    func object() throws(FieldError) -> ByteView {
        guard value.kind == .object else { throw wrong(.wrongType, "\(name) is a JSON object") }
        return ByteView(borrowing: value.raw(in: line))
    }

    /// Tags as a log has them: an array without white space and escapes, however the line spells it.
    ///
    /// - Parameter scanner: the one that read the line.
    func tags(_ scanner: JSONScanner) throws(FieldError) -> ByteView {
        guard value.kind == .array else { throw wrong(.wrongType, "tags are an array of strings") }
        let document = scanner.elements(of: value)
        guard 1...EventTags.maxCount ~= document.count else {
            throw wrong(
                document.count == 0 ? .empty : .tooLong, "an event has 1–\(EventTags.maxCount) tags, or no member tags")
        }
        var text: [UInt8] = []
        for index in 0..<document.count {
            let tag = document[index].pointee.value
            guard tag.isString, EventTags.isTag(tag.stringBytes) else {
                throw wrong(.malformed, "a tag is 1–64 bytes of printable ASCII, without spaces, \" and \\")
            }
            text.append(text.isEmpty ? 0x5B : 0x2C)
            text += [0x22] + tag.stringBytes + [0x22]
        }
        return (text + [0x5D]).withUnsafeBytes { ByteView(copying: $0) }
    }

    private func wrong(_ rule: FieldRule, _ message: String) -> FieldError {
        FieldError(field: name, rule: rule, message: message)
    }
}

/// The members of an event as far as they were read.
private struct EventMembersRead {
    var position: Position?
    var stream: StreamName?
    var version: Version?
    var type: EventType?
    var time: Instant?
    var by: UInt32?
    var key: RequestKey?
    var tags: ByteView?
    var meta: ByteView?
    var data: ByteView?

    /// The event; nil where a member is wrong or missing, which is noted.
    func event(_ errors: inout [FieldError]) -> Event? {
        guard let position, let stream, let version, let type, let time, let by, let data else {
            noteMissing(&errors)
            return nil
        }
        return Event(
            position: position, stream: stream, streamNumber: StreamNumber(0), version: version, time: time, by: by,
            key: key, tags: tags, meta: meta, body: .custom(type, data: data))
    }
    /// Notes each member that every event has and this one lacks; one that is wrong was noted already.
    private func noteMissing(_ errors: inout [FieldError]) {
        let required = [
            ("position", position == nil), ("stream", stream == nil), ("version", version == nil),
            ("type", type == nil),
            ("time", time == nil), ("by", by == nil), ("data", data == nil),
        ]
        for (name, isAbsent) in required where isAbsent && !errors.contains(where: { $0.field == name }) {
            errors.append(FieldError(field: name, rule: .missing, message: "an event has \(name)"))
        }
    }
}
