/// The delay before the next try to reach a program, in ticks of 0.1 s: it doubles with each failure, up to a limit.
///
/// A connection, or a greeting, is no success: a program that accepts and then sends nonsense would be connected to
/// without a pause. `reset` is for an answer that the owner can use.
package struct RetryDelay: Equatable, Sendable {
    private let first: UInt64
    private let most: UInt64
    private var next: UInt64

    /// Creates a delay without failures.
    ///
    /// - Parameters:
    ///   - first: the delay after the first failure.
    ///   - most: the longest delay.
    package init(first: UInt64 = 1, most: UInt64) { (self.first, self.most, next) = (first, most, first) }

    /// Notes a failure, and returns the delay until the next try.
    package mutating func failed() -> UInt64 {
        defer { next = min(max(2 * next, 1), most) }
        return next
    }

    /// Forgets the failures.
    package mutating func reset() { next = first }
}
