/// Memory for the bytes that one fold makes, which is released as a whole.
///
/// The value is a handle: its owner calls `free` once. All memory that it returns is valid until the next `reset`.
package struct FoldMemory: BitwiseCopyable {
    /// The current chunk. A chunk begins with the address of the one before it.
    private struct State {
        var chunk: UnsafeMutableRawPointer
        var capacity: Int
        var used: Int
        /// The bytes of the chunks before the current one.
        var full = 0
    }

    private static let headerCount = 16
    private static let firstCapacity = 32_768
    private let state: UnsafeMutablePointer<State>

    /// Allocates the first chunk.
    package init() {
        state = .allocate(capacity: 1)
        state.initialize(
            to: State(
                chunk: FoldMemory.chunk(FoldMemory.firstCapacity, after: nil), capacity: FoldMemory.firstCapacity,
                used: FoldMemory.headerCount))
    }

    /// Frees all memory.
    package func free() {
        reset()
        state.pointee.chunk.deallocate()
        state.deallocate()
    }

    /// The number of bytes that are in use, headers included.
    var count: Int { state.pointee.full + state.pointee.used }

    /// Releases everything but the first chunk.
    package func reset() {
        while let previous = state.pointee.chunk.load(as: UnsafeMutableRawPointer?.self) {
            state.pointee.chunk.deallocate()
            state.pointee.chunk = previous
            state.pointee.capacity = FoldMemory.firstCapacity
        }
        state.pointee.used = FoldMemory.headerCount
        state.pointee.full = 0
    }

    /// Returns memory for a number of bytes, aligned to eight.
    package func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let size = (count + 7) & ~7
        if state.pointee.used + size > state.pointee.capacity { grow(size) }
        let start = state.pointee.chunk + state.pointee.used
        state.pointee.used += size
        return start
    }

    /// Returns memory for a number of values, which are missing at first.
    func values(_ count: Int) -> UnsafeMutablePointer<ModelValue> {
        let size = MemoryLayout<ModelValue>.stride * count
        let values = allocate(size).bindMemory(to: ModelValue.self, capacity: count)
        values.initialize(repeating: .missing, count: count)
        return values
    }

    /// Returns a copy of bytes.
    package func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let source = bytes.baseAddress else { return bytes }
        let start = allocate(bytes.count)
        start.copyMemory(from: source, byteCount: bytes.count)
        return UnsafeRawBufferPointer(start: start, count: bytes.count)
    }

    @inline(never)
    private func grow(_ size: Int) {
        let capacity = max(size + FoldMemory.headerCount, 8 * FoldMemory.firstCapacity)
        state.pointee.full += state.pointee.used
        state.pointee.chunk = FoldMemory.chunk(capacity, after: state.pointee.chunk)
        state.pointee.capacity = capacity
        state.pointee.used = FoldMemory.headerCount
    }

    private static func chunk(_ capacity: Int, after previous: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        chunk.storeBytes(of: previous, as: UnsafeMutableRawPointer?.self)
        return chunk
    }
}

extension FoldMemory {
    /// Replaces the views of values with views of copies in this memory. Values of the event stay as they are.
    func move(_ values: UnsafeMutablePointer<ModelValue>, count: Int) {
        for number in 0..<count { values[number] = moved(values[number]) }
    }

    /// Returns a value that views copies in this memory.
    func moved(_ value: ModelValue) -> ModelValue {
        switch value {
        case .absent, .boolean, .number, .time, .array, .object: value
        case .text(let text): .text(copy(text))
        case .list(let list): .list(moved(list))
        case .map(let map): .map(PackedMap(copy(map.bytes), count: map.count, of: map.scalar))
        }
    }

    /// Returns a list that views a copy in this memory.
    func moved(_ list: PackedList) -> PackedList {
        PackedList(copy(list.bytes), count: list.count, of: list.scalar)
    }
}
