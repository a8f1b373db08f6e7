/// A value that the compiler takes as one, however many fields it has.
///
/// The check of each use of a value that is not copied takes time with the square of the number of all fields in it: for
/// all actions of requests it was two thirds of the time that the server takes to compile.
@usableFromInline
package struct OnePart<Value>: ~Copyable {
    @usableFromInline let values: [1 of Value]

    @inlinable package init(_ value: consuming Value) { values = [value] }

    /// The value, not copied.
    @inlinable package var value: Value { _read { yield values[0] } }
}

extension OnePart: Sendable where Value: Sendable {}
