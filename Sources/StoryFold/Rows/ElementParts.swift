import StoryCore

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
