import StoryStorage
package import StoryCore

/// The readings of the port `EventLogReading`: from blocks up to `flushed`, from memory after it.
extension LMDBEventLog {
    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let first = max(from.value, 1)
        let last = min(through.value, head.value)
        guard first <= last else { return }
        try records.blocks.reading { () throws(StorageError) in
            switch order {
            case .ascending: try ascend(first, last, visit)
            case .descending: try descend(last, first, visit)
            }
        }
    }

    package func scanRecords(
        from: Position, through: Position, _ visit: (Position, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var position = max(from.value, 1)
        let last = min(through.value, head.value)
        try records.blocks.reading { () throws(StorageError) in
            while position <= last {
                let bytes = try run(at: position).record(at: position)
                let isMore = try records.mask.record(bytes, at: position) { visit(Position(position), $0) }
                guard isMore else { return }
                position += 1
            }
        }
    }

    package func records(
        at positions: [Position], _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        try records.blocks.reading { () throws(StorageError) in
            var runs = RunsAhead(positions.count)
            for index in positions.indices {
                let position = positions[index]
                guard position > .zero, position <= head else { return }
                if index % RunsAhead.group == 0 { runs.ask(positions, index, flushedRun) }
                let run: RecordRun
                if let found = runs[index] { run = found } else { run = try self.run(at: position.value) }
                let bytes = try run.record(at: position.value)
                guard try records.mask.read(bytes, at: position.value, visit) else { return }
            }
        }
    }

    package func position(at time: Instant) throws(StorageError) -> Position {
        guard let lastTime else { return .zero }
        if lastTime <= time { return head }
        // Times never go backwards: everything up to `lower` is at or before the time, everything from `upper` after.
        return try records.blocks.reading { () throws(StorageError) in
            var (lower, upper) = (UInt64(0), head.value)
            while upper - lower > 1 {
                let middle = lower + (upper - lower) / 2
                let bytes = try run(at: middle).record(at: middle)
                let isBefore = try records.mask.read(bytes, at: middle) { $0.time <= time }
                if isBefore { lower = middle } else { upper = middle }
            }
            return Position(lower)
        }
    }

    /// Returns the records around a position up to the head, from its block or from memory.
    @inline(__always)
    private func run(at position: UInt64) throws(StorageError) -> RecordRun {
        guard position <= records.flushed.value else { return records.memory.run(at: position) }
        return try records.blocks.run(at: position)
    }

    @inline(__always)
    private func flushedRun(at position: Position) -> RecordRun? {
        guard position > .zero, position <= records.flushed else { return nil }
        let map = records.blocks.map
        return map.known(map.index(of: position.value))
    }

    private func ascend(
        _ first: UInt64, _ last: UInt64, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        var position = first
        while position <= last {
            let run = try run(at: position)
            let end = min(run.last, last)
            while position <= end {
                guard try records.mask.read(try run.record(at: position), at: position, visit) else { return }
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
                guard try records.mask.read(try run.record(at: position), at: position, visit) else { return }
                position -= 1
            }
        }
    }
}

/// A prefetcher for a reading of single records: it finds the runs of the next records, and prefetches their bytes.
///
/// Each record is on a page that was not used for long, and so is its entry in the table of its block. The processor
/// fetches several such pages at the same time if they are prefetched in a row, so records are prefetched in groups.
private struct RunsAhead {
    /// The number of records that are prefetched in a row.
    static let group = 16
    /// Three groups: one is being read, the records of the next one are being prefetched, and the table entries of the
    /// one after it.
    private static let size = 3 * group
    /// The number of bytes that are prefetched of each record.
    private static let askedBytes = 448

    private var runs: [RecordRun?]

    /// Prepares for a reading of the given number of records.
    init(_ count: Int) { runs = Array(repeating: nil, count: min(count, RunsAhead.size)) }

    /// The run of a record whose group is being read; nil if its address is not cached.
    @inline(__always)
    subscript(index: Int) -> RecordRun? { runs[index % RunsAhead.size] }

    /// Prefetches the following groups when the reading of a group begins.
    mutating func ask(_ positions: [Position], _ first: Int, _ find: (Position) -> RecordRun?) {
        let group = RunsAhead.group
        if first == 0 {
            askForEntries(positions, 0, find)
            askForEntries(positions, group, find)
            askForRecords(positions, 0)
        }
        askForEntries(positions, first + 2 * group, find)
        askForRecords(positions, first + group)
    }

    @inline(__always)
    private mutating func askForEntries(_ positions: [Position], _ first: Int, _ find: (Position) -> RecordRun?) {
        for index in first..<max(first, min(first + RunsAhead.group, positions.count)) {
            let run = find(positions[index])
            run?.prefetchEntry(of: positions[index].value)
            runs[index % RunsAhead.size] = run
        }
    }

    /// Prefetches the first byte of each record before the rest of any, so that the pages are fetched at the same time.
    @inline(__always)
    private func askForRecords(_ positions: [Position], _ first: Int) {
        askForRecords(positions, first, 1)
        askForRecords(positions, first, RunsAhead.askedBytes)
    }

    @inline(__always)
    private func askForRecords(_ positions: [Position], _ first: Int, _ count: Int) {
        for index in first..<max(first, min(first + RunsAhead.group, positions.count)) {
            self[index]?.prefetchRecord(at: positions[index].value, count)
        }
    }
}
