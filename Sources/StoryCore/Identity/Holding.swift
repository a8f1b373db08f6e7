/// Bytes that somebody keeps: the program, in an array of its own, or whoever lent them.
package protocol HeldBytes: Equatable, Sendable {
    /// Lends the bytes, which may be no longer there when `body` has returned.
    func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

/// Who keeps the bytes of names and texts.
///
/// Events, rows, folds and projections are written once for every way of keeping them: the daemon owns what it
/// answers with, a replay borrows all of it from the log.
package protocol Holding {
    /// An ID.
    associatedtype Name: HeldBytes
    /// What a person wrote.
    associatedtype Prose: HeldBytes
}

/// Names and texts in arrays of their own.
package enum Owned: Holding {
    package typealias Name = Identifier
    package typealias Prose = Text
}

/// Names and texts where they lie, as long as whoever lends them does.
package enum Borrowed: Holding {
    package typealias Name = BorrowedBytes
    package typealias Prose = BorrowedBytes
}

/// Bytes that lie elsewhere. Whoever makes one keeps them there as long as it is used.
///
/// Unchecked: nobody changes the bytes while they are lent.
package struct BorrowedBytes: HeldBytes, @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inlinable
    package func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(bytes) }

    package static func == (left: BorrowedBytes, right: BorrowedBytes) -> Bool {
        left.bytes.elementsEqual(right.bytes)
    }
}

extension Identifier: HeldBytes {
    package func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        spelling.withUnsafeBytes(body)
    }
}

extension Text: HeldBytes {
    package func withRawBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        spelling.withUnsafeBytes(body)
    }
}
