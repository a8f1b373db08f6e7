/// A named value of an answer that has no type of its own.
package struct Member: Equatable, Sendable {
    /// The name of the member.
    package let name: String
    /// The value of the member.
    package let value: MemberValue

    /// Creates a named value.
    package init(_ name: String, _ value: MemberValue) {
        self.name = name
        self.value = value
    }
}

/// A value of a member, as JSON has it.
package indirect enum MemberValue: Equatable, Sendable {
    case count(UInt64)
    case number(Double)
    case text(String)
    case flag(Bool)
    case list([MemberValue])
    case object([Member])
    /// JSON as it is.
    case json([UInt8])
}
