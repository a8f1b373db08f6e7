import StoryCore

/// The parts of one row's keys, each written once: many keys of a row have the same ones.
struct RowKeyParts: ~Copyable {
    /// Where a part lies among what is written.
    struct Place: BitwiseCopyable {
        let start: Int
        /// −1 where the row has no such part.
        let count: Int
    }

    /// False: there is no row, and it has no keys.
    private(set) var hasRow = false
    private(set) var written = KeyBuffer()
    /// By the parts' numbers. Those that no wanted key has are of other rows.
    private(set) var places = UnsafeMutablePointer<Place>.allocate(capacity: 0)
    private var capacity = 0

    deinit { places.deallocate() }

    /// Writes the parts of a row's keys.
    ///
    /// - Parameters:
    ///   - parts: all that its kind has.
    ///   - row: nil: none.
    ///   - fields: only keys that look at one of these fields are wanted, one bit each.
    mutating func write(_ parts: UnsafeBufferPointer<SharedPart>, of row: RowView?, fields: UInt64) {
        hasRow = row != nil
        guard let row else { return }
        if parts.count > capacity { makeRoom(parts.count) }
        written.clear()
        for (number, shared) in parts.enumerated() where shared.fields & fields != 0 {
            let start = written.count
            let isThere = written.add(shared.part, of: row)
            places[number] = Place(start: start, count: isThere ? written.count - start : -1)
        }
    }

    private mutating func makeRoom(_ count: Int) {
        places.deallocate()
        places = .allocate(capacity: count)
        capacity = count
    }
}

extension KeyBuffer {
    /// Adds some of the parts of a row's keys; false when the row lacks one.
    mutating func add(_ numbers: UnsafeBufferPointer<Int>, of row: borrowing RowKeyParts) -> Bool {
        for number in numbers {
            let place = row.places[number]
            guard place.count >= 0 else { return false }
            add(row.written, from: place.start, count: place.count)
        }
        return true
    }
}
