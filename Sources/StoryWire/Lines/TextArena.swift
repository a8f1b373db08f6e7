import StoryCore

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
