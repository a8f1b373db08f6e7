package import StoryCore
import StoryStorage

/// The events whose bytes are about to go: until then each of them is read as it will be after that.
package struct ErasureMask: Equatable, Sendable {
    /// Consecutive events that one event erases.
    fileprivate struct Range: Equatable {
        let positions: ClosedRange<Position>
        let eraser: Position
        let dropsLabels: Bool

        var first: Position { positions.lowerBound }
        var last: Position { positions.upperBound }
    }

    /// In the order of the positions; no two have a position in common.
    private var ranges: [Range] = []
    /// The erasures of records that are being overwritten, or were in part: their own bytes prove nothing any more.
    private var known: [Position: RecordErasure] = [:]

    /// Makes a mask of no events.
    package init() {}

    /// True where no event is masked.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Masks events, of which some may be masked already: their labels go where any erasure drops them.
    ///
    /// - Parameters:
    ///   - positions: the positions in ascending order, none of them twice.
    ///   - eraser: the position of the event that erases them.
    package mutating func add(_ positions: [ClosedRange<Position>], by eraser: Position, dropsLabels: Bool) {
        let new = positions.map { Range(positions: $0, eraser: eraser, dropsLabels: dropsLabels) }
        ranges = ErasureMask.merged(ranges, new)
    }

    /// Notes the erasures of records that are about to be overwritten.
    mutating func note(_ erasures: [RecordErasure]) {
        for erasure in erasures { known[erasure.position] = erasure }
    }

    /// Merges two ordered lists, and cuts ranges at the ends of those that they overlap.
    private static func merged(_ olds: [Range], _ news: [Range]) -> [Range] {
        var merged: [Range] = []
        merged.reserveCapacity(olds.count + news.count)
        var (olds, news) = (olds.makeIterator(), news.makeIterator())
        var (first, second) = (olds.next(), news.next())
        while let old = first, let new = second {
            let (begin, end) = (max(old.first, new.first), min(old.last, new.last))
            let ahead = old.first < new.first ? old : new
            if ahead.last < begin {
                merged.append(ahead)
                if old.first < new.first { first = olds.next() } else { second = news.next() }
                continue
            }
            if ahead.first < begin { merged.append(ahead.cut(to: ahead.first...begin.before)) }
            let dropsLabels = old.dropsLabels || new.dropsLabels
            merged.append(Range(positions: begin...end, eraser: old.eraser, dropsLabels: dropsLabels))
            first = end < old.last ? old.cut(to: end.next...old.last) : olds.next()
            second = end < new.last ? new.cut(to: end.next...new.last) : news.next()
        }
        while let old = first {
            merged.append(old)
            first = olds.next()
        }
        while let new = second {
            merged.append(new)
            second = news.next()
        }
        return merged
    }

    /// Reads a record, or what an erasure will leave of it, and passes it to `visit`; it is valid until that returns.
    ///
    /// - Returns: the result of `visit`.
    /// - Throws: `.corrupt` if the record is damaged; the error of `visit`.
    @inline(__always)
    func read<Result>(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64,
        _ visit: (EventRecord) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !isEmpty, let copy = try erased(bytes, at: position) else {
            return try visit(try Record.read(bytes, at: position))
        }
        return try copy.withBytes { (bytes) throws(StorageError) in try visit(try Record.read(bytes, at: position)) }
    }

    /// Passes the bytes of a record to `visit`, once it is proven, or of what an erasure will leave of it; they are valid
    /// until that returns.
    ///
    /// - Returns: the result of `visit`.
    /// - Throws: `.corrupt` if the record is damaged.
    func record(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64, _ visit: (UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) -> Bool {
        guard !isEmpty, let copy = try erased(bytes, at: position) else {
            _ = try Record.read(bytes, at: position)
            return visit(bytes)
        }
        return copy.withUnsafeBytes(visit)
    }

    /// Returns what an erasure will leave of a record; nil where it is not masked.
    ///
    /// - Throws: `.corrupt` if the record is damaged.
    func erased(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws(StorageError) -> [UInt8]? {
        try erasure(of: bytes, at: Position(position))?.erased(bytes)
    }

    /// Returns the erasure of a record; nil where it is not masked, or nothing of it is left to erase.
    ///
    /// - Throws: `.corrupt` if the record is damaged.
    func erasure(of record: UnsafeRawBufferPointer, at position: Position) throws(StorageError) -> RecordErasure? {
        if let known = known[position] { return known }
        guard let range = range(of: position) else { return nil }
        return try RecordErasure(of: record, at: position, by: range.eraser, dropsLabels: range.dropsLabels)
    }

    /// The positions of the masked events, in order.
    var positions: some Sequence<Position> {
        ranges.lazy.flatMap { range in
            (range.positions.lowerBound.value...range.positions.upperBound.value).lazy.map { Position($0) }
        }
    }

    private func range(of position: Position) -> Range? {
        var (lower, upper) = (0, ranges.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if ranges[middle].positions.upperBound < position { lower = middle + 1 } else { upper = middle }
        }
        guard lower < ranges.count, ranges[lower].positions.contains(position) else { return nil }
        return ranges[lower]
    }
}

extension ErasureMask.Range {
    fileprivate func cut(to positions: ClosedRange<Position>) -> Self {
        Self(positions: positions, eraser: eraser, dropsLabels: dropsLabels)
    }
}

extension Position {
    fileprivate var before: Position { Position(value - 1) }
}
