/// The kind of content that a request is about: its number in the catalogue, in one byte.
package struct Kind: Hashable, Sendable {
    /// The index in the catalogue, from 0.
    package let number: UInt8

    /// Creates the kind with a number.
    ///
    /// - Parameter number: below `Catalogue.maxKindCount`.
    package init(number: Int) { self.number = UInt8(number) }
}
