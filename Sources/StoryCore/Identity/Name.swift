/// A name of the alphabet of IDs: an ID, a stream's name, an event's type, a key.
///
/// One that is read out of a line is lent, as its bytes are; whoever holds on to it takes `kept`.
@usableFromInline
package protocol Name: Hashable, Sendable, CustomStringConvertible {
    /// What it is spelled with.
    var spelling: ByteView { get }
}

extension Name {
    /// A copy of the bytes.
    package var bytes: [UInt8] { [UInt8](spelling) }
    @usableFromInline package var description: String {
        spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
