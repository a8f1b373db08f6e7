/// A name of the alphabet of IDs: an ID, a stream's name, an event's type, a key.
///
/// A name in a request line is valid until the request is handled; code that keeps it longer uses `kept`.
@usableFromInline
package protocol Name: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the name.
    var spelling: ByteView { get }
}

extension Name {
    /// A copy of the bytes.
    package var bytes: [UInt8] { [UInt8](spelling) }
    @usableFromInline package var description: String {
        spelling.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
