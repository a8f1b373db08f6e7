/// Which kind of content a request is about: its number in the catalogue, in one byte.
package struct Kind: Hashable, Sendable {
    /// The place in the catalogue, from 0.
    package let number: UInt8

    /// - Parameter number: below `Catalogue.maxKindCount`.
    package init(number: Int) { self.number = UInt8(number) }
}
