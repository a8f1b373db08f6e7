/// A writer of an event's data, one member after the other.
package protocol EventMembers: ~Copyable {
    /// Writes a text that a person wrote.
    mutating func text(_ name: StaticString, _ value: Text)
    /// Writes an ID.
    mutating func identifier(_ name: StaticString, _ value: Identifier)
    /// Writes a date.
    mutating func date(_ name: StaticString, _ value: Instant)
    /// Writes a whole number.
    mutating func integer(_ name: StaticString, _ value: Int64)
    /// Writes a number.
    mutating func number(_ name: StaticString, _ value: Double)
    /// Writes a fraction in its original spelling: `1/125`.
    mutating func fraction(_ name: StaticString, _ numerator: UInt32, _ denominator: UInt32)
    /// Writes one name out of a set that the program has.
    mutating func choice(_ name: StaticString, _ value: String)
    /// Writes data that is JSON already, instead of members of the program's own.
    mutating func whole(_ data: ByteView)
}
