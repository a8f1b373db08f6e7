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

/// Up to 32 bytes, stored inline.
@usableFromInline
package struct ShortBytes: Hashable, Sendable {
    /// The maximum number of bytes.
    package static let capacity = 32

    /// The number of bytes.
    package let count: Int
    /// The bytes, padded with zeros.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Creates a copy of the bytes.
    ///
    /// - Parameter bytes: at most `capacity`.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= ShortBytes.capacity, "\(bytes.count) bytes exceed \(ShortBytes.capacity)")
        count = bytes.count
        Swift.withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
    }

    /// Calls `body` with the bytes, which are valid until it returns.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    @usableFromInline package static func == (left: ShortBytes, right: ShortBytes) -> Bool {
        left.count == right.count && left.words == right.words
    }

    @usableFromInline package func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// An arena for tables that are made once and read on every event, without the retain and release of arrays.
///
/// Its pointers are valid as long as the arena, so the owner of a table keeps the arena too.
///
/// Unchecked: one thread makes the tables, and they never change.
package final class FixedMemory: @unchecked Sendable {
    private var allocations: [UnsafeMutableRawPointer] = []

    /// Creates an empty arena.
    package init() {}

    deinit { for allocation in allocations { allocation.deallocate() } }

    /// Returns a copy of the elements as a table.
    package func table<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        allocations.append(UnsafeMutableRawPointer(start))
        for (index, element) in elements.enumerated() { (start + index).initialize(to: element) }
        return UnsafeBufferPointer(start: start, count: elements.count)
    }

    /// Returns uninitialized memory for one element.
    package func room<Element: BitwiseCopyable>(for type: Element.Type) -> UnsafeMutablePointer<Element> {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: 1)
        allocations.append(UnsafeMutableRawPointer(start))
        return start
    }

    /// Returns a copy of bytes.
    package func bytes(_ bytes: [UInt8]) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(table(bytes)) }

    /// Returns the bytes of a text in UTF-8.
    package func bytes(_ text: String) -> UnsafeRawBufferPointer { bytes(Array(text.utf8)) }
}
