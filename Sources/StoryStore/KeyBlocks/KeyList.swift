import Glibc
import StoryCore

/// A list of keys in order, one after the other in reusable memory.
package struct KeyList: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// The end offset of each key.
    private var ends: [Int] = []

    /// Creates an empty list.
    package init() {
        capacity = 1_024
        ends.reserveCapacity(KeyBlock.mostKeys)
        memory = Memory.make(capacity)
    }

    deinit { free(memory) }

    /// The number of keys.
    package var count: Int { ends.count }

    /// A key; valid until the next change.
    package subscript(index: Int) -> UnsafeRawBufferPointer {
        let start = start(of: index)
        return UnsafeRawBufferPointer(start: memory + start, count: ends[index] - start)
    }

    mutating func clear() { ends.removeAll(keepingCapacity: true) }

    /// Adds a key: the first `shared` bytes of the one before, then `rest`, which must not be in the list's own memory.
    ///
    /// - Parameter shared: at most the length of the key before, in bytes.
    package mutating func add(_ rest: UnsafeRawBufferPointer, sharing shared: Int = 0) {
        let start = ends.last ?? 0
        let end = start + shared + rest.count
        if end > capacity {
            capacity = max(end, capacity * 2)
            memory = Memory.grow(memory, capacity)
        }
        if shared > 0 { (memory + start).copyMemory(from: memory + self.start(of: count - 1), byteCount: shared) }
        Memory.copy(rest, to: memory + start + shared)
        ends.append(end)
    }

    /// Returns the index of the first key that does not come before another; `count` where all do.
    func lowerBound(_ key: UnsafeRawBufferPointer) -> Int {
        (0..<count).partitionPoint { self[$0].compare(key) < 0 }
    }

    private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }
}
