package import StoryCore

/// Names of the alphabet, written short; for names that the test knows to be good.
extension String {
    package var id: Identifier { Identifier(trusted: Array(utf8)) }
    package var key: RequestKey { RequestKey(trusted: Array(utf8)) }
    package var type: EventType { EventType(trusted: Array(utf8)) }
    package var category: CategoryName { CategoryName(trusted: Array(utf8)) }
    package var bytes: [UInt8] { Array(utf8) }

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

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value.bytes) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension [JSONField] {
    /// The fields of an object, in this order.
    package static func of(_ fields: KeyValuePairs<String, JSONValue>) -> [JSONField] {
        fields.map { JSONField($0.key, $0.value) }
    }

    /// The same fields, but for one that holds something else or is added.
    package func with(_ name: String, _ value: JSONValue) -> [JSONField] {
        without(name) + [JSONField(name, value)]
    }

    package func without(_ name: String) -> [JSONField] { filter { $0.name != name.bytes } }
}
