import CSimdJSON
package import StoryCore

/// A reader of events as JSON lines, as in a `READ` or an export, so that they can be written to a log again.
///
/// The members may be in any order. Data and meta are kept byte for byte; tags are normalized.
package final class EventLineReader {
    /// The longest line in bytes: above every line limit, since a log may be older than the limit.
    package static let maxCount = 67_108_864

    private let scanner: JSONScanner
    private var errors: [FieldError] = []

    /// Creates a reader, with memory for the longest line.
    package init() {
        scanner = JSONScanner(capacity: EventLineReader.maxCount + LineFramer.slack)
    }

    /// Reads one line without its LF, followed by `LineFramer.slack` readable bytes.
    ///
    /// - Returns: the event, with the stream number 0; it is valid until the next line is read, and as long as `line`
    ///   is.
    /// - Throws: `syntax` if the line is no JSON object, `invalid` with every wrong member.
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
                    borrowing: try value.text(EventType.length, EventType.rule)))
        case "time":
            members.time = try value.time()
        case "cursor":
            members.cursor = try value.cursor()
        case "key":
            let key = try value.text(RequestKey.length, "a key is 1–128 bytes of A–Z a–z 0–9 . _ ~ -")
            members.key = RequestKey(trusted: ByteView(borrowing: key))
        case "tags": members.tags = try value.tags(scanner)
        case "erased": members.erased = Position(try value.number(1...Position.max.value))
        case "meta": members.meta = try value.object()
        case "data":
            members.data = ByteView(borrowing: value.value.raw(in: line))
        default:
            let known = "position, stream, version, type, time, by, cursor, key, tags, meta and data, or erased"
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

    /// Returns the bytes of a string of the ID alphabet.
    func text(_ length: ClosedRange<Int>, _ rule: String) throws(FieldError) -> UnsafeRawBufferPointer {
        guard value.isString else { throw wrong(.wrongType, "\(name) is a string") }
        guard value.stringBytes.spellsName(length) else { throw wrong(value.stringBytes.nameRule(length), rule) }
        return value.stringBytes
    }

    func cursor() throws(FieldError) -> ByteView {
        guard value.isString else { throw wrong(.wrongType, "\(name) is a string") }
        let text = value.stringBytes
        let parts = text.split(separator: 0x2F, maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts.last?.split(separator: 0x40, maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, UnsafeRawBufferPointer(rebasing: parts[0]).spellsName(Identifier.length),
            numbers.count == 2, EventMember.isNumber(numbers[0], atMost: 2),
            EventMember.isNumber(numbers[1], atMost: 16)
        else { throw wrong(.malformed, "a cursor is NAME/SHARE@POSITION, such as billing/2@1042") }
        return ByteView(borrowing: text)
    }

    private static func isNumber(_ text: Slice<UnsafeRawBufferPointer>, atMost length: Int) -> Bool {
        1...length ~= text.count && text.allSatisfy { $0 &- 0x30 < 10 }
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

    /// Returns tags in the log's form: an array without white space and escapes, however the line spells it.
    ///
    /// - Parameter scanner: the scanner that read the line.
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
                throw wrong(.malformed, EventTags.rule)
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

/// The members of an event that were read so far.
private struct EventMembersRead {
    var position: Position?
    var stream: StreamName?
    var version: Version?
    var type: EventType?
    var time: Instant?
    var by: UInt32?
    var cursor: ByteView?
    var key: RequestKey?
    var tags: ByteView?
    var meta: ByteView?
    var data: ByteView?
    /// The position of the event that erased meta and data.
    var erased: Position?

    /// Returns the event; notes missing members and returns nil if one is wrong or missing.
    func event(_ errors: inout [FieldError]) -> Event? {
        noteErased(&errors)
        guard let position, let stream, let version, let type, let time, let by, let data = data ?? nothing else {
            noteMissing(&errors)
            return nil
        }
        return Event(
            position: position, stream: stream, streamNumber: StreamNumber(0), version: version, time: time, by: by,
            cursor: cursor, key: key, tags: tags, meta: meta, body: .custom(type, data: data), erased: erased)
    }

    /// The data of an event whose own are erased.
    private var nothing: ByteView? { erased.map { _ in ByteView(Array("{}".utf8)) } }

    /// Notes what an erased event cannot have.
    private func noteErased(_ errors: inout [FieldError]) {
        guard let erased else { return }
        for (name, isThere) in [("meta", meta != nil), ("data", data != nil)] where isThere {
            errors.append(FieldError(field: name, rule: .unknownField, message: "an erased event has no \(name)"))
        }
        if let position, erased <= position {
            let message = "an event is erased by a later one"
            errors.append(FieldError(field: "erased", rule: .outOfRange, message: message))
        }
    }

    /// Notes each required member that is missing; wrong ones were noted already.
    private func noteMissing(_ errors: inout [FieldError]) {
        let required = [
            ("position", position == nil), ("stream", stream == nil), ("version", version == nil),
            ("type", type == nil),
            ("time", time == nil), ("by", by == nil), ("data", data == nil && erased == nil),
        ]
        for (name, isAbsent) in required where isAbsent && !errors.contains(where: { $0.field == name }) {
            errors.append(FieldError(field: name, rule: .missing, message: "an event has \(name)"))
        }
    }
}
