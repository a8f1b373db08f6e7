/// A map of a row: a view of its packed entries, in the order of their keys. An entry is its key as a text, and its value.
package struct PackedMap: BitwiseCopyable {
    private let start: UnsafeRawPointer
    private let length: UInt32
    private let number: UInt16
    /// The form of the values.
    package let scalar: PackedScalar

    /// One entry, or the address where one belongs.
    struct Entry {
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
        case found(Entry)
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

    private func entry(at start: UnsafeRawPointer) -> Entry {
        let key = start.packedText
        let valueStart = start + PackedScalar.lengthCount + key.count
        return Entry(start: start, key: key, valueStart: valueStart, end: valueStart + scalar.count(at: valueStart))
    }
}
