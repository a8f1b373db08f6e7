import StoryCore

/// Memory for texts of one line that do not lie in it as they are meant: those whose escapes were resolved.
///
/// They are good until the next line. None of them is longer than what it was made of, so a line's worth is enough.
struct TextArena: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    /// - Parameter capacity: how many bytes all texts of a line have at most.
    init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 8) }

    deinit { memory.deallocate() }

    /// Forgets all texts.
    mutating func clear() { count = 0 }

    /// Copies a text; returns the copy.
    mutating func keep(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = count
        add(text)
        return self.text(from: start)
    }

    /// Adds bytes behind the last ones.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= memory.count - count, "What is made of a line is no longer than the line.")
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Adds one byte.
    mutating func add(_ byte: UInt8) {
        precondition(count < memory.count, "What is made of a line is no longer than the line.")
        memory[count] = byte
        count += 1
    }

    /// Where the next byte goes.
    var end: Int { count }

    /// What was added from a place on that was the end then.
    func text(from start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<count]) }
}
