/// The type of a row's field.
package enum FieldType: Equatable, Sendable {
    /// A text that a person wrote, in any UTF-8.
    case text
    /// An ID: 1–64 bytes of the alphabet.
    case name
    /// A signed whole number of 64 bits.
    case integer
    /// A finite double.
    case number
    /// A moment in UTC, to the millisecond.
    case date
    /// True or false; until an event sets it false, or absent where it is optional.
    case flag
    /// A fraction above zero, two numbers of 32 bits, in its original spelling: `1/125`.
    case fraction
    /// A decimal number of 18 digits.
    case decimal
    /// Several values in their order; none until an event sets it.
    case list(PackedScalar)
    /// Values by text keys, in the order of the keys' bytes.
    case map(PackedScalar)
    /// One of these words, at most 256 of them.
    case choice([String])
}

/// One field of a kind's rows.
package struct FieldSchema: Equatable, Sendable {
    /// The member's name in the row's JSON.
    package let name: String
    /// The type of the field.
    package let type: FieldType
    /// True when rows may lack it; the JSON then has no such member.
    package let isOptional: Bool

    /// Creates a field.
    package init(_ name: String, _ type: FieldType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }
}
