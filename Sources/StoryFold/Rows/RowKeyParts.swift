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

/// The distinct elements of a row's list as parts of keys, in the order of their bytes.
struct ElementParts: ~Copyable {
    private var written = KeyBuffer()
    private var parts: [Range<Int>] = []

    /// Writes the elements of a row's list; none where there is no row.
    mutating func write(_ field: Int, of row: RowView?) {
        written.clear()
        parts.removeAll(keepingCapacity: true)
        guard let row else { return }
        row.list(field).forEachValue { value in
            let start = written.count
            written.addElement(value)
            parts.append(start..<written.count)
            return true
        }
        removeRepeated()
    }

    private mutating func removeRepeated() {
        let bytes = written.bytes
        parts.sort { bytes.slice($0).compare(bytes.slice($1)) < 0 }
        var distinct = 0
        for part in parts where distinct == 0 || !bytes.slice(part).equals(bytes.slice(parts[distinct - 1])) {
            parts[distinct] = part
            distinct += 1
        }
        parts.removeLast(parts.count - distinct)
    }

    /// The number of elements.
    var count: Int { parts.count }

    /// Returns an element, valid until the next ones are written.
    subscript(index: Int) -> UnsafeRawBufferPointer { written.bytes.slice(parts[index]) }
}

/// The elements of a row's list before and after a change.
struct ElementChanges: ~Copyable {
    /// An element before and after the change; nil where the list lacks it.
    typealias Pair = (before: UnsafeRawBufferPointer?, after: UnsafeRawBufferPointer?)

    private var old = ElementParts()
    private var new = ElementParts()
    /// The elements of both lists, each once, valid until the next ones are written.
    private(set) var pairs: [Pair] = []

    /// Writes the elements of the list in two rows.
    mutating func write(_ field: Int, before: RowView?, after: RowView?) {
        old.write(field, of: before)
        new.write(field, of: after)
        pairs.removeAll(keepingCapacity: true)
        var (first, second) = (0, 0)
        while first < old.count || second < new.count {
            let order = first == old.count ? 1 : second == new.count ? -1 : old[first].compare(new[second])
            pairs.append((order <= 0 ? old[first] : nil, order >= 0 ? new[second] : nil))
            if order <= 0 { first += 1 }
            if order >= 0 { second += 1 }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        slice(range.lowerBound, count: range.count)
    }
}
