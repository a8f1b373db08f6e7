/// A list whose memory serves line after line.
struct ReusedList<Element: BitwiseCopyable>: ~Copyable {
    private let memory: UnsafeMutablePointer<Element>
    private let capacity: Int
    private(set) var count = 0

    /// - Parameter capacity: how many elements there are at most.
    init(capacity: Int) {
        memory = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { memory.deallocate() }

    var indices: Range<Int> { 0..<count }

    /// - Parameter index: below the count.
    subscript(index: Int) -> Element {
        precondition(index < count, "What is read of a list was put there.")
        return memory[index]
    }

    mutating func append(_ element: Element) {
        precondition(count < capacity, "A list has room for all that there can be.")
        (memory + count).initialize(to: element)
        count += 1
    }

    /// Forgets the elements, and keeps the memory.
    mutating func removeAll() { count = 0 }
}
