/// The kind of content that a request is about: its number in the catalogue, in two bytes.
///
/// A number is not used again while the process runs, so a request or a subscription of a kind that was removed names
/// no later one.
package struct Kind: Hashable, Sendable {
    /// The number in the catalogue, from 0.
    package let number: UInt16

    /// Creates the kind with a number.
    ///
    /// - Parameter number: below `Catalogue.maxKindCount`.
    package init(number: Int) { self.number = UInt16(number) }
}
