import StoryCore

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

/// An arena for the texts of one line that differ from its bytes: those whose escapes were resolved.
///
/// They are valid until the next line. None of them is longer than its source, so the length of a line is enough.
struct TextArena: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    /// Creates an arena.
    ///
    /// - Parameter capacity: the most bytes of all texts of a line.
    init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 8) }

    deinit { memory.deallocate() }

    /// Drops all texts.
    mutating func clear() { count = 0 }

    /// Copies a text; returns the copy.
    mutating func keep(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = count
        add(text)
        return self.text(from: start)
    }

    /// Appends bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= memory.count - count, "\(bytes.count) bytes after \(count) of \(memory.count)")
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Appends one byte.
    mutating func add(_ byte: UInt8) {
        precondition(count < memory.count, "append to a full arena of \(memory.count) bytes")
        memory[count] = byte
        count += 1
    }

    /// The offset of the next byte.
    var end: Int { count }

    /// Returns the text from an earlier `end` on.
    func text(from start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<count]) }
}
