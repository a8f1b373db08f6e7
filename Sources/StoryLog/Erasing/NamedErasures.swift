import StoryStorage
import StoryCore

/// A check that each erased record names an event `Erased` that names it; one behind the log's end is left open.
///
/// The records come in the order of the log, and an event erases earlier ones alone.
struct NamedErasures {
    /// The positions of the records that name an event which has not come yet, by its position.
    private var open: [Position: [ClosedRange<Position>]] = [:]

    /// Checks the next record.
    ///
    /// - Throws: `.corrupt` with the position of a record that is erased by an event which does not name it.
    mutating func check(_ record: EventRecord) throws(StorageError) {
        if let eraser = record.erased {
            guard eraser > record.position else { throw NamedErasures.unnamed(record.position) }
            add(record.position, to: &open[eraser, default: []])
        }
        guard !open.isEmpty, let erased = open.removeValue(forKey: record.position) else { return }
        let named = ErasureOrder(record)?.positions ?? []
        var rest = named[...]
        for range in erased {
            while let next = rest.first, next.upperBound < range.lowerBound { rest.removeFirst() }
            guard let next = rest.first, next.lowerBound <= range.lowerBound, range.upperBound <= next.upperBound else {
                throw NamedErasures.unnamed(range.lowerBound)
            }
        }
    }

    private func add(_ position: Position, to ranges: inout [ClosedRange<Position>]) {
        guard let last = ranges.last, last.upperBound.next == position else {
            return ranges.append(position...position)
        }
        ranges[ranges.count - 1] = last.lowerBound...position
    }

    private static func unnamed(_ position: Position) -> StorageError {
        Record.damaged(position.value, "is erased by an event that does not name it")
    }
}
