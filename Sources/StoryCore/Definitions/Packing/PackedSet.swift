/// A set of packed elements: few are compared one by one, many are hashed.
///
/// The order of hashes differs from run to run, but nothing depends on it.
struct PackedSet: BitwiseCopyable {
    private static let fewCount = 8
    private let table: UnsafeMutablePointer<UnsafeRawBufferPointer>
    private let capacity: Int
    private var count = 0

    /// Creates a set with memory for a number of elements.
    init(_ memory: FoldMemory, capacity elements: Int) {
        var capacity = PackedSet.fewCount
        if elements > capacity { while capacity < 2 * elements { capacity *= 2 } }
        self.capacity = capacity
        let size = capacity * MemoryLayout<UnsafeRawBufferPointer>.stride
        table = memory.allocate(size).bindMemory(to: UnsafeRawBufferPointer.self, capacity: capacity)
        table.initialize(repeating: .none, count: capacity)
    }

    /// Creates the set of a list's elements, or of packed keys.
    init(_ memory: FoldMemory, _ builder: PackedBuilder, of scalar: PackedScalar) {
        self.init(memory, capacity: builder.count)
        builder.forEach(of: scalar) { _ = insert($0) }
    }

    /// Adds an element; returns false where an equal one is there.
    mutating func insert(_ element: UnsafeRawBufferPointer) -> Bool {
        let index = index(of: element)
        guard table[index].baseAddress == nil else { return false }
        table[index] = element
        count += 1
        return true
    }

    /// Returns true where an equal element is there.
    func contains(_ element: UnsafeRawBufferPointer) -> Bool {
        guard capacity > PackedSet.fewCount else { return (0..<count).contains { table[$0].equals(element) } }
        return table[index(of: element)].baseAddress != nil
    }

    /// Returns the index of an equal element, or of the empty entry where it belongs.
    private func index(of element: UnsafeRawBufferPointer) -> Int {
        var index = 0
        if capacity > PackedSet.fewCount {
            var hasher = Hasher()
            hasher.combine(bytes: element)
            index = hasher.finalize() & (capacity - 1)
        }
        while index < capacity, table[index].baseAddress != nil, !table[index].equals(element) {
            index += 1
            if index == capacity, capacity > PackedSet.fewCount { index = 0 }
        }
        return min(index, capacity - 1)
    }
}

extension PackedBuilder {
    /// Calls `body` with the bytes of each element.
    func forEach(of scalar: PackedScalar, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard var element = bytes.baseAddress else { return }
        for _ in 0..<count {
            let size = scalar.count(at: element)
            body(UnsafeRawBufferPointer(start: element, count: size))
            element += size
        }
    }

    /// Returns the bytes behind the first elements.
    func bytes(dropping dropped: Int, of scalar: PackedScalar) -> UnsafeRawBufferPointer {
        guard let start = bytes.baseAddress else { return bytes }
        var element = start
        for _ in 0..<dropped { element += scalar.count(at: element) }
        return UnsafeRawBufferPointer(start: element, count: bytes.count - (element - start))
    }
}
