/// A list of fixed capacity that is reused for every line.
struct ReusedList<Element: BitwiseCopyable>: ~Copyable {
    private let memory: UnsafeMutablePointer<Element>
    private let capacity: Int
    private(set) var count = 0

    /// Creates an empty list.
    ///
    /// - Parameter capacity: the most elements.
    init(capacity: Int) {
        memory = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { memory.deallocate() }

    var indices: Range<Int> { 0..<count }

    /// Returns an element.
    ///
    /// - Parameter index: less than the count.
    subscript(index: Int) -> Element {
        precondition(index < count, "index \(index) of \(count) elements")
        return memory[index]
    }

    mutating func append(_ element: Element) {
        precondition(count < capacity, "append to a full list of \(capacity) elements")
        (memory + count).initialize(to: element)
        count += 1
    }

    /// Removes all elements, and keeps the memory.
    mutating func removeAll() { count = 0 }
}
