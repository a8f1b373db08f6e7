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

/// A name of one part, of which a view of its bytes is all.
@usableFromInline
package protocol PlainName: Name {
    /// The length of a name, in bytes.
    static var length: ClosedRange<Int> { get }
    /// Creates a name from a view that the caller has checked.
    init(trusted spelling: ByteView)
}

extension PlainName {
    /// Creates a name; nil when the bytes do not spell one.
    package init?(_ bytes: some Collection<UInt8>) {
        guard Alphabet.spells(bytes, within: Self.length) else { return nil }
        self.init(trusted: Array(bytes))
    }

    /// Creates a name from bytes that the caller has checked.
    @inlinable package init(trusted bytes: [UInt8]) { self.init(trusted: ByteView(bytes)) }

    /// The same name in a copy of the bytes that it owns.
    @inlinable package var kept: Self { Self(trusted: spelling.kept) }
}
