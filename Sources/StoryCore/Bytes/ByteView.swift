/// A view of immutable bytes: borrowed bytes, or a copy that it owns.
///
/// Bytes of a request line are borrowed, so that reading and handling a request allocates nothing; they are valid until
/// the request is handled. Code that keeps them longer uses `kept`. Two views are equal when their bytes are.
///
/// The type is on the path of every request, so its code can be inlined into other modules.
@usableFromInline
package struct ByteView: Hashable, @unchecked Sendable {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    /// The owner of the copy; nil where the bytes are borrowed.
    @usableFromInline let owner: KeptBytes?

    /// Creates a view of bytes that it does not own.
    ///
    /// - Parameter bytes: valid and unchanged for as long as the view, or a copy of it, is used.
    @inlinable
    package init(borrowing bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        owner = nil
    }

    /// Creates a view of a copy of the bytes.
    package init(copying bytes: UnsafeRawBufferPointer) {
        let copy = KeptBytes.make(bytes)
        self.bytes = UnsafeRawBufferPointer(start: copy.start, count: bytes.count)
        owner = copy
    }

    /// Creates a view of a copy of the array.
    @usableFromInline package init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { ByteView(copying: $0) } }

    /// The number of bytes.
    @inlinable package var count: Int { bytes.count }

    /// A view of the same bytes that owns them.
    @usableFromInline package var kept: ByteView { owner == nil ? ByteView(copying: bytes) : self }

    /// Calls `body` with the bytes, which are valid until it returns.
    @inlinable @inline(__always)
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(owner) {} }
        return try body(bytes)
    }

    /// Returns a view of a part, which is valid as long as this one.
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

/// A reference-counted copy of bytes, stored by tail allocation.
@usableFromInline
final class KeptBytes: ManagedBuffer<Void, UInt8> {
    /// Allocates a copy of the bytes.
    static func make(_ bytes: UnsafeRawBufferPointer) -> KeptBytes {
        let copy = unsafeDowncast(create(minimumCapacity: bytes.count) { _ in }, to: KeptBytes.self)
        if let source = bytes.baseAddress { copy.start.copyMemory(from: source, byteCount: bytes.count) }
        return copy
    }

    /// The address of the bytes, valid as long as the object.
    var start: UnsafeMutableRawPointer { withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) } }
}

extension [UInt8] {
    /// Creates a copy of a view's bytes.
    package init(_ view: ByteView) { self = view.withUnsafeBytes { [UInt8]($0) } }
}
