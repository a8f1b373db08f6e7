import StoryStorage
import StoryCore

/// Readings, as the port `EventLog` says: of blocks up to `flushed`, of memory behind it.
extension LogRecords {
    /// How many records ahead memory is asked for, so that it is there when it is looked at.
    private static let ahead = 6

    func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let first = max(from.value, 1)
        let last = min(through.value, head.value)
        guard first <= last else { return }
        try blocks.reading { () throws(StorageError) in
            switch order {
            case .ascending: try ascend(first, last, visit)
            case .descending: try descend(last, first, visit)
            }
        }
    }

    func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        guard position > .zero, position <= head else { return false }
        try blocks.reading { () throws(StorageError) in visit(try read(position.value)) }
        return true
    }

    func records(
        at positions: [Position], _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        try blocks.reading { () throws(StorageError) in
            for index in positions.indices {
                let position = positions[index]
                guard position > .zero, position <= head else { return }
                prefetch(positions, from: index)
                guard visit(try read(position.value)) else { return }
            }
        }
    }

    func position(at time: Instant) throws(StorageError) -> Position {
        guard let lastTime else { return .zero }
        if lastTime <= time { return head }
        // Times never go backwards: everything up to `lower` is at or before the time, everything from `upper` after.
        return try blocks.reading { () throws(StorageError) in
            var (lower, upper) = (UInt64(0), head.value)
            while upper - lower > 1 {
                let middle = lower + (upper - lower) / 2
                if try read(middle).time <= time { lower = middle } else { upper = middle }
            }
            return Position(lower)
        }
    }

    /// The records around a position up to the head.
    @inline(__always)
    private func run(at position: UInt64) throws(StorageError) -> RecordRun {
        guard position <= flushed.value else { return memory.run(at: position) }
        return try blocks.run(at: position)
    }

    @inline(__always)
    private func read(_ position: UInt64) throws(StorageError) -> EventRecord {
        try Record.read(try run(at: position).record(at: position), at: position)
    }

    /// Asks for what the records after this one will need, where their blocks are known.
    @inline(__always)
    private func prefetch(_ positions: [Position], from index: Int) {
        let far = index + 2 * LogRecords.ahead
        if far < positions.count, let run = flushedRun(at: positions[far]) {
            run.prefetchEntry(of: positions[far].value)
        }
        let near = index + LogRecords.ahead
        guard near < positions.count, let run = flushedRun(at: positions[near]) else { return }
        run.prefetchRecord(at: positions[near].value)
    }

    @inline(__always)
    private func flushedRun(at position: Position) -> RecordRun? {
        guard position > .zero, position <= flushed else { return nil }
        return blocks.knownRun(at: position.value)
    }

    private func ascend(
        _ first: UInt64, _ last: UInt64, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        var position = first
        while position <= last {
            let run = try run(at: position)
            let end = min(run.last, last)
            while position <= end {
                guard visit(try Record.read(try run.record(at: position), at: position)) else { return }
                position += 1
            }
        }
    }

    private func descend(
        _ last: UInt64, _ first: UInt64, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        var position = last
        while position >= first {
            let run = try run(at: position)
            let end = max(run.first, first)
            while position >= end {
                guard visit(try Record.read(try run.record(at: position), at: position)) else { return }
                position -= 1
            }
        }
    }
}
