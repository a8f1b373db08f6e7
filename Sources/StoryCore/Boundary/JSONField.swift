/// One member of a JSON object, read once at the boundary.
package struct JSONField: Equatable, Sendable {
    package let name: [UInt8]
    package let value: JSONValue

    package init(name: [UInt8], value: JSONValue) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ value: JSONValue) { self.init(name: Array(name.utf8), value: value) }
}

/// What a member of a JSON object holds.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction or exponent that fits.
    case integer(Int64)
    /// Any other number; always finite.
    case number(Double)
    /// The characters, escapes resolved, well-formed UTF-8.
    case string([UInt8])
    /// An object's text as it came, braces included.
    case object([UInt8])
    /// An array's text as it came, brackets included.
    case array([UInt8])

    package static func string(_ text: String) -> JSONValue { .string(Array(text.utf8)) }
}
