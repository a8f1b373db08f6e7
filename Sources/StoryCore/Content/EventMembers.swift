/// What an event's data is written to, one member after the other.
package protocol EventMembers {
    /// What a person wrote.
    mutating func text(_ name: StaticString, _ value: Text)
    /// An ID.
    mutating func identifier(_ name: StaticString, _ value: Identifier)
    mutating func date(_ name: StaticString, _ value: Instant)
    mutating func integer(_ name: StaticString, _ value: Int64)
    mutating func number(_ name: StaticString, _ value: Double)
    /// A fraction as it was written: `1/125`.
    mutating func fraction(_ name: StaticString, _ numerator: UInt32, _ denominator: UInt32)
    /// One name out of a set that the program has.
    mutating func choice(_ name: StaticString, _ value: String)
    /// Data that is JSON already, and has no members of the program's own beside it.
    mutating func whole(_ data: ByteView)
}
