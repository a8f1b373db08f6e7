/// A view of bytes that never change: somebody else's, good for as long as they are lent, or of a copy that it keeps.
///
/// What comes out of a line is lent, so that reading and handling a request asks for no memory. Whoever holds on to it
/// when the request is handled takes `kept`. Two views are equal when their bytes are.
///
/// Every request goes through it many times, so other modules may have its code in theirs.
@usableFromInline
package struct ByteView: Hashable, @unchecked Sendable {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    /// Nil where the bytes are lent.
    @usableFromInline let owner: KeptBytes?

    /// - Parameter bytes: they stay as they are for as long as the view, or a copy of it, is used.
    @inlinable
    package init(borrowing bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        owner = nil
    }

    package init(copying bytes: UnsafeRawBufferPointer) {
        let copy = KeptBytes.make(bytes)
        self.bytes = UnsafeRawBufferPointer(start: copy.start, count: bytes.count)
        owner = copy
    }

    package init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { ByteView(copying: $0) } }

    @inlinable package var count: Int { bytes.count }

    /// The same bytes, which stay for as long as the view does.
    package var kept: ByteView { owner == nil ? ByteView(copying: bytes) : self }

    /// Lends the bytes until `body` returns.
    @inlinable @inline(__always)
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(owner) {} }
        return try body(bytes)
    }

    /// A view of a part, good for as long as this one.
    package func part(_ range: Range<Int>) -> ByteView {
        ByteView(UnsafeRawBufferPointer(rebasing: bytes[range]), owner)
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ owner: KeptBytes?) {
        self.bytes = bytes
        self.owner = owner
    }

    @usableFromInline
    package static func == (left: ByteView, right: ByteView) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { left.equals($0) } }
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// A copy of bytes, which is gone with the last view of it. They lie right behind the object: one allocation.
@usableFromInline
final class KeptBytes: ManagedBuffer<Void, UInt8> {
    static func make(_ bytes: UnsafeRawBufferPointer) -> KeptBytes {
        let copy = unsafeDowncast(create(minimumCapacity: bytes.count) { _ in }, to: KeptBytes.self)
        if let source = bytes.baseAddress { copy.start.copyMemory(from: source, byteCount: bytes.count) }
        return copy
    }

    /// Where the bytes lie, for as long as the object does.
    var start: UnsafeMutableRawPointer { withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }
}

extension [UInt8] {
    /// A copy of a view's bytes.
    package init(_ view: ByteView) { self = view.withUnsafeBytes { [UInt8]($0) } }
}
