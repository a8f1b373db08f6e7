import CXXHash
package import StoryCore

/// For each tag, a position that no event with it comes after, in memory.
///
/// Tags share slots by their hashes, and a slot has the last position of all of its tags: it may be later than that of one
/// of them, and is never earlier. So a precondition that holds by it needs no search.
package struct TagRecency {
    /// The number of slots: with 128 KiB, of a hundred tags that came since a position some 1 in 160 of the others seem
    /// to have come as well, and is searched.
    private static let slotCount = 1 << 14

    /// The last position of the tags of each slot.
    private var slots = [UInt64](repeating: 0, count: TagRecency.slotCount)
    /// The last event that was not noted.
    private let start: Position

    /// Creates the recency of tags of the events after a position.
    package init(after start: Position) { self.start = start }

    /// Notes the tags of an event after the last one.
    package mutating func note(_ tags: consuming RecordTags, at position: Position) {
        while let tag = tags.next() { slots[TagRecency.slot(of: tag)] = position.value }
    }

    /// Returns a position that no event with a tag comes after.
    package func last(of tag: EventTag) -> Position {
        max(start, Position(tag.spelling.withUnsafeBytes { slots[TagRecency.slot(of: $0)] }))
    }

    private static func slot(of tag: UnsafeRawBufferPointer) -> Int {
        Int(truncatingIfNeeded: xxhi_128(tag.baseAddress, tag.count, 0).low) & (slotCount - 1)
    }
}
