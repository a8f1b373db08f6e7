/// A map of a row: a view of its packed entries, in the order of their keys. An entry is its key as a text, and its value.
package struct PackedMap: BitwiseCopyable {
    private let start: UnsafeRawPointer
    private let length: UInt32
    private let number: UInt16
    /// The form of the values.
    package let scalar: PackedScalar

    /// One entry, or the address where one belongs.
    struct Pair {
        let start: UnsafeRawPointer
        let key: UnsafeRawBufferPointer
        let valueStart: UnsafeRawPointer
        let end: UnsafeRawPointer
    }

    /// Creates a view of packed entries.
    ///
    /// - Parameter count: their number, at most the limit of a map.
    package init(_ bytes: UnsafeRawBufferPointer, count: Int, of scalar: PackedScalar) {
        start = bytes.baseAddress ?? UnsafeRawBufferPointer.empty
        length = UInt32(truncatingIfNeeded: bytes.count)
        number = UInt16(truncatingIfNeeded: count)
        self.scalar = scalar
    }

    /// A map without entries.
    init(of scalar: PackedScalar) { self.init(.none, count: 0, of: scalar) }

    /// The packed entries.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: Int(length)) }
    /// The number of entries.
    package var count: Int { Int(number) }

    /// Calls `body` with each entry's key and value.
    package func forEach(_ body: (UnsafeRawBufferPointer, ModelValue) -> Void) {
        var next = start
        for _ in 0..<count {
            let entry = entry(at: next)
            body(entry.key, scalar.value(at: entry.valueStart))
            next = entry.end
        }
    }

    /// Returns the value of a key; nil where there is none.
    func value(_ key: UnsafeRawBufferPointer) -> ModelValue? {
        guard case .found(let entry) = search(key) else { return nil }
        return scalar.value(at: entry.valueStart)
    }

    /// Returns the map with another value of a key; nil takes it away.
    func setting(_ key: UnsafeRawBufferPointer, _ value: ModelValue?, in memory: FoldMemory) -> PackedMap {
        let end = start + Int(length)
        let (before, after, isThere): (UnsafeRawPointer, UnsafeRawPointer, Bool) =
            switch search(key) {
            case .found(let entry): (entry.start, entry.end, true)
            case .belongs(let address): (address, address, false)
            }
        guard value != nil || isThere else { return self }
        var builder = PackedBuilder(memory, capacity: Int(length) + key.count + (value?.size ?? 0) + 16)
        builder.append(UnsafeRawBufferPointer(start: start, count: before - start))
        if let value { builder.append(key: key, value) }
        builder.append(UnsafeRawBufferPointer(start: after, count: end - after))
        let count = count + (value == nil ? 0 : 1) - (isThere ? 1 : 0)
        return PackedMap(builder.bytes, count: count, of: scalar)
    }

    /// Returns the map without the entries whose packed keys are in a set.
    func removing(_ keys: PackedSet, in memory: FoldMemory) -> PackedMap {
        var builder = PackedBuilder(memory, capacity: Int(length))
        var next = start
        for _ in 0..<count {
            let entry = entry(at: next)
            let key = UnsafeRawBufferPointer(start: entry.start, count: entry.valueStart - entry.start)
            if !keys.contains(key) {
                builder.append(UnsafeRawBufferPointer(start: entry.start, count: entry.end - entry.start))
                builder.count += 1
            }
            next = entry.end
        }
        return PackedMap(builder.bytes, count: builder.count, of: scalar)
    }

    private enum Search {
        case found(Pair)
        case belongs(UnsafeRawPointer)
    }

    private func search(_ key: UnsafeRawBufferPointer) -> Search {
        var next = start
        for _ in 0..<count {
            let entry = entry(at: next)
            let order = key.compare(entry.key)
            if order == 0 { return .found(entry) }
            if order < 0 { return .belongs(next) }
            next = entry.end
        }
        return .belongs(next)
    }

    private func entry(at start: UnsafeRawPointer) -> Pair {
        let key = start.packedText
        let valueStart = start + PackedScalar.lengthCount + key.count
        return Pair(start: start, key: key, valueStart: valueStart, end: valueStart + scalar.count(at: valueStart))
    }
}

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
