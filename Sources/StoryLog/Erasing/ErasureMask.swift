package import StoryCore
import StoryStorage

/// The events whose bytes are about to go: until then each of them is read as it will be after that.
package struct ErasureMask: Equatable, Sendable {
    /// Consecutive events that one event erases.
    fileprivate struct Range: Equatable {
        let positions: ClosedRange<Position>
        let eraser: Position
        let dropsLabels: Bool
    }

    /// In the order of the positions; no two have a position in common.
    private var ranges: [Range] = []

    /// Makes a mask of no events.
    package init() {}

    /// True where no event is masked.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Masks events, of which some may be masked already: their labels go where any erasure drops them.
    ///
    /// - Parameters:
    ///   - positions: the positions in ascending order.
    ///   - eraser: the position of the event that erases them.
    package mutating func add(_ positions: [ClosedRange<Position>], by eraser: Position, dropsLabels: Bool) {
        for range in positions { add(Range(positions: range, eraser: eraser, dropsLabels: dropsLabels)) }
    }

    /// Cuts a range at the ends of those that it overlaps.
    private mutating func add(_ new: Range) {
        var left: ClosedRange<Position>? = new.positions
        var next: [Range] = []
        for old in ranges {
            guard let rest = left, old.positions.overlaps(rest) else {
                next.append(old)
                continue
            }
            let (first, last) = (old.positions.lowerBound, old.positions.upperBound)
            if rest.lowerBound < first {
                next.append(new.cut(to: rest.lowerBound...first.before))
            } else if first < rest.lowerBound {
                next.append(old.cut(to: first...rest.lowerBound.before))
            }
            let (begin, end) = (max(first, rest.lowerBound), min(last, rest.upperBound))
            next.append(
                Range(
                    positions: begin...end, eraser: old.eraser, dropsLabels: old.dropsLabels || new.dropsLabels))
            if end < last { next.append(old.cut(to: end.next...last)) }
            left = end < rest.upperBound ? end.next...rest.upperBound : nil
        }
        if let left { next.append(new.cut(to: left)) }
        ranges = next.sorted { $0.positions.lowerBound < $1.positions.lowerBound }
    }

    /// Reads a record, or what an erasure will leave of it, and passes it to `visit`; it is valid until that returns.
    ///
    /// - Returns: the result of `visit`.
    /// - Throws: `.corrupt` if the record is damaged.
    @inline(__always)
    func read(
        _ bytes: UnsafeRawBufferPointer, at position: UInt64, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) -> Bool {
        guard !isEmpty, let copy = try erased(bytes, at: position) else {
            return visit(try Record.read(bytes, at: position))
        }
        return try copy.withBytes { (bytes) throws(StorageError) in visit(try Record.read(bytes, at: position)) }
    }

    /// Passes the bytes of a record to `visit`, once it is proven, or of what an erasure will leave of it; they are valid until
    /// that returns.
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

// MARK: In a file

extension ErasureMask {
    private static let sizeOfRange = 19

    /// Writes the number of ranges, in 4 bytes, and the ranges: `first 6 · last 6 · eraser 6 · 1 where labels go`.
    func write(to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt32(ranges.count))
        for range in ranges {
            for position in [range.positions.lowerBound, range.positions.upperBound, range.eraser] {
                for index in 0..<6 { bytes.append(UInt8(truncatingIfNeeded: position.value >> UInt64(8 * index))) }
            }
            bytes.append(range.dropsLabels ? 1 : 0)
        }
    }

    /// Reads them, and removes their bytes; nil where they are none.
    init?(_ bytes: inout ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        let count = Int(Array(bytes.prefix(4)).number(at: 0, as: UInt32.self))
        bytes.removeFirst(4)
        guard bytes.count / ErasureMask.sizeOfRange >= count else { return nil }
        for _ in 0..<count {
            let numbers = (0..<3).map { part in
                Position(bytes.dropFirst(6 * part).prefix(6).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
            }
            let last = ranges.last?.positions.upperBound ?? .zero
            guard last < numbers[0], numbers[0] <= numbers[1] else { return nil }
            ranges.append(
                Range(
                    positions: numbers[0]...numbers[1], eraser: numbers[2],
                    dropsLabels: bytes[bytes.startIndex + 18] == 1))
            bytes.removeFirst(ErasureMask.sizeOfRange)
        }
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
