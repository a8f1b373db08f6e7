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
