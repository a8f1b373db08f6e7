import StoryStorage
import StoryCore

/// Readings, as the port `EventLog` says: of blocks up to `flushed`, of memory behind it.
extension LogRecords {
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
            var runs = RunsAhead()
            for index in 0..<min(positions.count, RunsAhead.entries) { runs.ask(positions, index, flushedRun) }
            for index in positions.indices {
                let position = positions[index]
                guard position > .zero, position <= head else { return }
                runs.ask(positions, index + RunsAhead.entries, flushedRun)
                guard let run = runs.take(positions, index) else {
                    guard visit(try read(position.value)) else { return }
                    continue
                }
                guard visit(try Record.read(run.record(at: position.value), at: position.value)) else { return }
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

/// The runs of the next records of a reading, found ahead of it, so that their memory is there when it is looked at.
private struct RunsAhead {
    /// So many records ahead, the table's entry of one is asked for.
    static let entries = 12
    /// So many records ahead, the record itself.
    private static let records = 6
    /// A power of two above `entries`.
    private static let size = 16

    private var runs: [RecordRun?] = Array(repeating: nil, count: RunsAhead.size)

    /// Finds the run of a position, and asks for its entry in the table.
    @inline(__always)
    mutating func ask(_ positions: [Position], _ index: Int, _ find: (Position) -> RecordRun?) {
        guard index < positions.count else { return }
        let run = find(positions[index])
        run?.prefetchEntry(of: positions[index].value)
        runs[index & (RunsAhead.size - 1)] = run
    }

    /// Asks for a record ahead; answers the run of this one, nil where it is not known.
    @inline(__always)
    func take(_ positions: [Position], _ index: Int) -> RecordRun? {
        let near = index + RunsAhead.records
        if near < positions.count, let run = runs[near & (RunsAhead.size - 1)] {
            run.prefetchRecord(at: positions[near].value)
        }
        return runs[index & (RunsAhead.size - 1)]
    }
}
