/// What a field of a row holds.
package enum FieldType: Equatable, Sendable {
    /// What a person wrote: any UTF-8.
    case text
    /// The ID of something: 1–64 bytes of the alphabet.
    case name
    /// A whole number of 64 bits with a sign.
    case integer
    /// A finite double.
    case number
    /// A moment in UTC, to the millisecond.
    case date
    /// True or false; false where no event said anything.
    case flag
    /// A fraction above zero, two numbers of 32 bits, kept as it was written: `1/125`.
    case fraction
    /// One of these words, at most 256 of them.
    case choice([String])
}

/// One field of a kind's rows.
package struct FieldSchema: Equatable, Sendable {
    /// The member's name in the row's JSON.
    package let name: String
    package let type: FieldType
    /// True when rows may lack it; the JSON then has no such member.
    package let isOptional: Bool

    package init(_ name: String, _ type: FieldType, isOptional: Bool = false) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
    }
}
