package import StoryCore

/// A reader of the lines that a replica gets from its source, and the writer of its requests.
///
/// The tag of a request says which reply is its own: `@seal`, `@send`, and `@p7` for the seventh question.
package final class SourceLineReader {
    /// The longest line of a source, in bytes: the longest record as base64, and its members.
    package static let maxCount = 24 << 20

    private let json = JSONObjectReader()

    /// Creates a reader.
    package init() {}

    /// Returns the line of a request, with its LF.
    package static func line(of request: SourceRequest) -> [UInt8] {
        switch request {
        case .seal(let position): Array("@seal SEAL at=\(position.value)\n".utf8)
        case .send(let position, let log): Array("@send SEND from=\(position.value) log=\(log)\n".utf8)
        case .position(let number): Array("@p\(number) PING\n".utf8)
        }
    }

    /// Reads a line without its LF, followed by `LineFramer.slack` readable bytes.
    package func read(_ line: UnsafeRawBufferPointer) -> SourceLine {
        guard let kind = line.first, let space = line.first(0x20), space > 0 else { return .malformed }
        let tag = line.part(1..<space)
        let text = line.part((space + 1)..<line.count)
        let read = json.withObject(text, readable: text.count + LineFramer.slack) { members in
            let members = LineMembers(members)
            switch kind {
            case 0x2A: return members.notice
            case 0x3E: return members.push
            case 0x2B: return members.reply(tag)
            case 0x2D: return members.refusal
            default: return .other
            }
        }
        return read ?? .malformed
    }
}

extension LineMembers {
    fileprivate var notice: SourceLine {
        guard has("server") else { return .ended(has("idle") ? "idle" : "draining") }
        guard let log = bytes("log").flatMap({ LogID($0) }), let position = position("position") else {
            return .malformed
        }
        return .greeting(log, position, isReplica: has("cluster"))
    }

    fileprivate var push: SourceLine {
        if let position = position("caughtUp") { return .caughtUp(position) }
        if has("end") { return .ended(text("end") ?? "") }
        guard let encoded = bytes("records") else { return .other }
        guard let first = position("first"), let head = position("position"), let count = integer("count"),
            let bytes = Base64.decoded(encoded), count <= bytes.count
        else { return .malformed }
        return .records(RawRecords(from: first, count: Int(clamping: count), bytes: bytes), of: head)
    }

    fileprivate func reply(_ tag: UnsafeRawBufferPointer) -> SourceLine {
        if tag.equals("@send") { return .accepted }
        guard let position = position("position") else { return .malformed }
        if tag.equals("@seal") { return text("seal").map { .seal($0, at: position) } ?? .malformed }
        guard tag.count > 2, tag.part(0..<2).equals("@p"),
            case .value(let number) = DecimalNumber(tag.part(2..<tag.count))
        else { return .other }
        return .position(position, question: number)
    }

    fileprivate var refusal: SourceLine { .refused(code: text("code") ?? "", message: text("message") ?? "") }
}

/// A reader of the identity of a history in the reply to `SEAL`.
package enum HistoryReader {
    /// Returns the identity; nil where the line is no such reply.
    ///
    /// - Parameter line: the whole line without its LF.
    package static func identity(_ line: UnsafeRawBufferPointer) -> StoredIdentity? {
        guard line.first == 0x2B, let space = line.first(0x20) else { return nil }
        let text = line.part((space + 1)..<line.count)
        return JSONObjectReader().withObject(text, readable: text.count) { members -> StoredIdentity? in
            let members = LineMembers(members)
            guard let id = members.bytes("log").flatMap({ StoredIdentity.id($0) }),
                let ancestors = members.object("ancestors")
            else { return nil }
            return self.ancestors(ancestors).map { StoredIdentity(id: id, ancestors: $0) }
        } ?? nil
    }

    private static func ancestors(_ text: UnsafeRawBufferPointer) -> [StoredIdentity.Ancestor]? {
        let ancestors = JSONObjectReader().withObject(text, readable: text.count) { members in
            members.map { member -> StoredIdentity.Ancestor? in
                guard let id = StoredIdentity.id(member.name),
                    case .integer(let number) = member.value, let position = UInt64(exactly: number),
                    position <= Position.max.value
                else { return nil }
                return StoredIdentity.Ancestor(id: id, position: Position(position))
            }
        }
        guard let ancestors, ancestors.count <= StoredIdentity.mostAncestors else { return nil }
        let known = ancestors.compactMap { $0 }
        return known.count == ancestors.count ? known : nil
    }
}

/// The members of the object in a line of another store.
struct LineMembers {
    private let members: UnsafeBufferPointer<JSONMember>

    init(_ members: UnsafeBufferPointer<JSONMember>) { self.members = members }

    private func value(_ name: String) -> JSONMember.Value? { members.first { $0.name.equals(text: name) }?.value }

    func has(_ name: String) -> Bool { value(name) != nil }

    func bytes(_ name: String) -> UnsafeRawBufferPointer? {
        if case .string(let bytes)? = value(name) { bytes } else { nil }
    }

    func object(_ name: String) -> UnsafeRawBufferPointer? {
        if case .object(let text)? = value(name) { text } else { nil }
    }

    func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

    func integer(_ name: String) -> UInt64? {
        if case .integer(let number)? = value(name) { UInt64(exactly: number) } else { nil }
    }

    func position(_ name: String) -> Position? {
        integer(name).flatMap { $0 <= Position.max.value ? Position($0) : nil }
    }
}
