/// A list, a set or a last of a row: a view of its packed elements.
package struct PackedList: BitwiseCopyable {
    /// The first element.
    let start: UnsafeRawPointer
    /// The length of the elements, in bytes.
    private let length: UInt32
    private let number: UInt16
    /// The form of the elements.
    package let scalar: PackedScalar

    /// Creates a view of packed elements.
    ///
    /// - Parameter count: their number, at most the limit of a list.
    package init(_ bytes: UnsafeRawBufferPointer, count: Int, of scalar: PackedScalar) {
        start = bytes.baseAddress ?? UnsafeRawBufferPointer.empty
        length = UInt32(truncatingIfNeeded: bytes.count)
        number = UInt16(truncatingIfNeeded: count)
        self.scalar = scalar
    }

    /// The packed elements.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: Int(length)) }
    /// The number of elements.
    package var count: Int { Int(number) }

    /// The element at an index, which is within the list; texts before it are walked over.
    package subscript(index: Int) -> ModelValue {
        if let size = scalar.fixedCount { return scalar.value(at: start + index * size) }
        var element = start
        for _ in 0..<index { element += scalar.count(at: element) }
        return scalar.value(at: element)
    }

    /// Calls `body` with the bytes of each element.
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        var element = start
        for _ in 0..<count {
            let size = scalar.count(at: element)
            body(UnsafeRawBufferPointer(start: element, count: size))
            element += size
        }
    }
}

extension UnsafeRawBufferPointer {
    /// An address for no bytes.
    static var empty: UnsafeRawPointer {
        let text: StaticString = ""
        return UnsafeRawPointer(text.utf8Start)
    }
}
