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

/// A writer of packed elements or entries into a fold's memory.
struct PackedBuilder: BitwiseCopyable {
    private let memory: FoldMemory
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private var length = 0
    /// The number of elements, which the caller counts where it appends bytes.
    var count = 0

    /// Creates a writer with memory for a number of bytes.
    init(_ memory: FoldMemory, capacity: Int) {
        self.memory = memory
        self.capacity = capacity
        start = memory.allocate(capacity)
    }

    /// Creates a writer that begins with the elements of a list.
    init(_ memory: FoldMemory, _ list: PackedList?, adding capacity: Int) {
        self.init(memory, capacity: (list?.bytes.count ?? 0) + capacity)
        if let list {
            append(list.bytes)
            count = list.count
        }
    }

    /// The bytes so far; valid until the next one is appended.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: length) }

    /// Appends packed bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        ensure(bytes.count)
        guard let source = bytes.baseAddress else { return }
        (start + length).copyMemory(from: source, byteCount: bytes.count)
        length += bytes.count
    }

    /// Appends an element.
    mutating func append(_ value: ModelValue) {
        ensure(value.size)
        length += (start + length).pack(value)
        count += 1
    }

    /// Appends a text as a key is packed.
    mutating func append(key: UnsafeRawBufferPointer) {
        ensure(PackedScalar.lengthCount + key.count)
        length += (start + length).pack(text: key)
        count += 1
    }

    /// Appends an entry, without counting it.
    mutating func append(key: UnsafeRawBufferPointer, _ value: ModelValue) {
        ensure(PackedScalar.lengthCount + key.count + value.size)
        length += (start + length).pack(text: key)
        length += (start + length).pack(value)
    }

    private mutating func ensure(_ more: Int) {
        guard length + more > capacity else { return }
        capacity = max(length + more, 2 * capacity)
        let grown = memory.allocate(capacity)
        grown.copyMemory(from: start, byteCount: length)
        start = grown
    }
}
