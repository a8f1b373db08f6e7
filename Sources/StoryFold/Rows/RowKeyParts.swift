import StoryCore

/// The parts of one row's keys, each written once, since many keys of a row share them.
struct RowKeyParts: ~Copyable {
    /// The offset and length of a part in `written`, in bytes.
    struct Place: BitwiseCopyable {
        let start: Int
        /// −1 where the row has no such part.
        let count: Int
    }

    /// False when there is no row, and so there are no keys.
    private(set) var hasRow = false
    private(set) var written = KeyBuffer()
    /// The offsets by part number; those of parts that no wanted key has are stale, of earlier rows.
    private(set) var places = UnsafeMutablePointer<Place>.allocate(capacity: 0)
    private var capacity = 0

    deinit { places.deallocate() }

    /// Writes the parts of a row's keys.
    ///
    /// - Parameters:
    ///   - parts: all key parts of its kind.
    ///   - row: the row; nil when there is none.
    ///   - fields: the fields, one bit each, of which a wanted key looks at one or more.
    mutating func write(_ parts: UnsafeBufferPointer<SharedPart>, of row: RowView?, fields: UInt64) {
        hasRow = row != nil
        guard let row else { return }
        if parts.count > capacity { ensureCapacity(parts.count) }
        written.clear()
        for (number, shared) in parts.enumerated() where shared.fields & fields != 0 {
            let start = written.count
            let isThere = written.add(shared.part, of: row)
            places[number] = Place(start: start, count: isThere ? written.count - start : -1)
        }
    }

    private mutating func ensureCapacity(_ count: Int) {
        places.deallocate()
        places = .allocate(capacity: count)
        capacity = count
    }
}

extension KeyBuffer {
    /// Adds some of the parts of a row's keys; returns false when the row lacks one.
    mutating func add(_ numbers: UnsafeBufferPointer<Int>, of row: borrowing RowKeyParts) -> Bool {
        for number in numbers {
            let place = row.places[number]
            guard place.count >= 0 else { return false }
            add(row.written, from: place.start, count: place.count)
        }
        return true
    }
}
