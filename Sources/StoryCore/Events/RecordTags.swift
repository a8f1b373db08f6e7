/// The tags of a record, one after the other, as views of its array.
package struct RecordTags: Sequence, IteratorProtocol {
    private let array: UnsafeRawBufferPointer
    /// The offset of the next tag in the array, in bytes.
    private var start = 2

    /// Views the tags of an array's text, which has no white space.
    package init(_ array: UnsafeRawBufferPointer) { self.array = array }

    /// Returns the next tag; nil at the end.
    package mutating func next() -> UnsafeRawBufferPointer? {
        guard start < array.count else { return nil }
        let rest = array.slice(start, count: array.count - start)
        guard let count = rest.offset(of: 0x22) else { return nil }
        // Behind it are `","`, or `"]` at the end.
        start += count + 3
        return rest.slice(0, count: count)
    }

    /// Returns true when one of the tags that were not visited yet has these bytes.
    package func contains(_ tag: UnsafeRawBufferPointer) -> Bool {
        var rest = self
        while let next = rest.next() { if next.equals(tag) { return true } }
        return false
    }
}

extension EventRecord {
    /// The tags; nil where there are none, or they were erased.
    package var tagList: RecordTags? { tags.map { RecordTags(json.slice($0.lowerBound, count: $0.count)) } }

    /// Returns true when the event has all of the tags; an empty list means any event.
    package func hasTags(_ wanted: [EventTag]) -> Bool {
        guard !wanted.isEmpty else { return true }
        guard let tagList else { return false }
        return wanted.allSatisfy { $0.spelling.withUnsafeBytes { tagList.contains($0) } }
    }
}
