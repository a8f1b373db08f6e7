package import StoryCore

/// Names of the alphabet, written short; for names that the test knows to be good.
extension String {
    package var id: Identifier { Identifier(trusted: Array(utf8)) }
    package var key: RequestKey { RequestKey(trusted: Array(utf8)) }
    package var type: EventType { EventType(trusted: Array(utf8)) }
    package var category: CategoryName { CategoryName(trusted: Array(utf8)) }
    package var bytes: [UInt8] { Array(utf8) }
    package var eventTag: EventTag { bytes.withBytes { EventTag(trusted: $0) } }

    /// The stream of this name, CATEGORY-ID.
    package var stream: StreamName {
        let parts = split(separator: "-", maxSplits: 1)
        precondition(parts.count == 2, "a stream's name is CATEGORY-ID")
        return StreamName(category: String(parts[0]).category, id: String(parts[1]).id)
    }

    /// The moment that this RFC 3339 text names.
    package var instant: Instant {
        guard let instant = Instant(self) else { preconditionFailure("\(self) is no date") }
        return instant
    }
}

extension [UInt8] {
    package var view: ByteView { ByteView(self) }
    /// The bytes at a place of their own, for as long as the tests run: what a line would lend.
    package var lent: UnsafeRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Swift.max(count, 1), alignment: 1)
        memory.copyBytes(from: self)
        return UnsafeRawBufferPointer(rebasing: memory[..<count])
    }
}

extension String {
    package var view: ByteView { bytes.view }
}

extension EventTags {
    /// The text that tags have in the log; nil when there are none.
    package static func text(_ tags: [[UInt8]]) -> ByteView? {
        let quoted = tags.map { [0x22] + $0 + [0x22] }.joined(separator: [0x2C])
        return tags.isEmpty ? nil : ([0x5B] + quoted + [0x5D]).view
    }

    /// The same of texts.
    package static func text(_ tags: [String]) -> ByteView? { text(tags.map(\.bytes)) }
}

extension Event {
    /// Its tags, read out of their text; for tags without a comma.
    package var tagTexts: [String] {
        guard let tags else { return [] }
        let text = String(decoding: [UInt8](tags), as: UTF8.self).dropFirst().dropLast()
        return text.split(separator: ",").map { String($0.dropFirst().dropLast()) }
    }
}

extension JSONMember {
    package init(_ name: String, _ value: Value) { self.init(name: name.bytes.lent, value: value) }

    /// The same, for as long as the tests run.
    package var kept: JSONMember { JSONMember(name: [UInt8](name).lent, value: value.kept) }
}

extension JSONMember.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(nilLiteral: ()) { self = .null }

    package static func string(_ text: String) -> JSONMember.Value { .string(text.bytes.lent) }
    package static func string(_ text: [UInt8]) -> JSONMember.Value { .string(text.lent) }
    package static func object(_ text: [UInt8]) -> JSONMember.Value { .object(text.lent) }
    package static func array(_ text: [UInt8]) -> JSONMember.Value { .array(text.lent) }

    /// The same, for as long as the tests run.
    package var kept: JSONMember.Value {
        switch self {
        case .null, .boolean, .integer, .number: self
        case .string(let text): .string([UInt8](text).lent)
        case .object(let text): .object([UInt8](text).lent)
        case .array(let text): .array([UInt8](text).lent)
        }
    }
}

extension FormFields {
    /// The fields of an object, in this order.
    package static func of(_ fields: KeyValuePairs<String, JSONMember.Value>) -> FormFields {
        fields.map { JSONMember($0.key, $0.value) }
    }

    /// The same fields, but for one that holds something else or is added.
    package func with(_ name: String, _ value: JSONMember.Value) -> FormFields {
        without(name) + [JSONMember(name, value)]
    }

    package func without(_ name: String) -> FormFields { filter { !$0.name.elementsEqual(name.utf8) } }
}
