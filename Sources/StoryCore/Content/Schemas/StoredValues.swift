/// The forms of decimals, lists and maps in a stored row.
extension UnsafeRawBufferPointer {
    /// Returns the decimal at an offset: its digits in eight bytes, then its scale.
    package func decimal(at offset: Int) -> ModelNumber {
        ModelNumber(packedDigits: number(at: offset, as: Int64.self), scale: self[offset + 8])
    }

    /// The number of elements before the packed elements of a stored list or map; 0 where there are no bytes.
    fileprivate var storedCount: Int { count < PackedList.storedCountSize ? 0 : Int(number(at: 0, as: UInt16.self)) }

    /// The packed elements of a stored list or map.
    fileprivate var storedElements: UnsafeRawBufferPointer {
        let size = PackedList.storedCountSize
        return count < size ? .none : slice(size, count: count - size)
    }
}

extension UnsafeMutableRawPointer {
    /// Stores a decimal at an offset.
    package func put(_ number: ModelNumber, at offset: Int) {
        put(number.digits, at: offset)
        put(number.scale, at: offset + 8)
    }
}

extension PackedList {
    /// The size of the number of elements in a stored list or map, in bytes.
    package static let storedCountSize = 2

    /// Creates a view of a stored list, whose bytes are valid.
    package init(stored bytes: UnsafeRawBufferPointer, of scalar: PackedScalar) {
        self.init(bytes.storedElements, count: bytes.storedCount, of: scalar)
    }

    /// Calls `body` with each element until it returns false.
    package func forEachValue(_ body: (ModelValue) -> Bool) {
        var element = start
        for _ in 0..<count {
            guard body(scalar.value(at: element)) else { return }
            element += scalar.count(at: element)
        }
    }
}

extension PackedMap {
    /// Creates a view of a stored map, whose bytes are valid.
    package init(stored bytes: UnsafeRawBufferPointer, of scalar: PackedScalar) {
        self.init(bytes.storedElements, count: bytes.storedCount, of: scalar)
    }
}

extension RowLayout.Slot {
    /// Returns true when the bytes are a stored list or map, whose elements all end within them.
    func isCollection(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 0 else { return true }
        guard bytes.count >= PackedList.storedCountSize else { return false }
        let (elements, count) = (bytes.storedElements, bytes.storedCount)
        if storage == .list, let size = scalar.fixedCount { return elements.count == count * size }
        var end: Int? = 0
        for _ in 0..<count {
            if storage == .map { end = end.flatMap(elements.endOfText) }
            end = end.flatMap { start in scalar.fixedCount.map { start + $0 } ?? elements.endOfText(start) }
            guard let end, end <= elements.count else { return false }
        }
        return end == elements.count
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the end of the packed text at an offset; nil where its length is not within the bytes.
    fileprivate func endOfText(_ start: Int) -> Int? {
        guard start <= count - PackedScalar.lengthCount else { return nil }
        return start + PackedScalar.lengthCount + Int(number(at: start, as: UInt16.self))
    }
}
