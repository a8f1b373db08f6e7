package import StoryCore
import StoryStorage

extension LMDBEventLog {
    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let first = max(from.value, 1)
        let last = min(through.value, head.value)
        guard first <= last else { return }
        let stored = storedPart(last)
        switch order {
        case .ascending:
            guard try ascend(first, stored, visit) else { return }
            _ = try visitMemory(max(first, stored + 1), last, order, visit)
        case .descending:
            guard try visitMemory(max(first, stored + 1), last, order, visit) else { return }
            try descend(stored, first, visit)
        }
    }

    package func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        guard position > .zero, position <= head else { return false }
        try records(at: [position]) { record in
            visit(record)
            return true
        }
        return true
    }

    package func records(
        at positions: [Position], _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        try reading { (transaction) throws(StorageError) in
            let cursor = try Cursor(transaction, .main)
            for index in positions.indices {
                let position = positions[index]
                guard position > .zero, position <= head else { return }
                places?.lookAhead(positions, from: index)
                let isWanted =
                    try position.value > storedPart(position.value)
                    ? visitMemory(position.value, visit) : visit(record(at: position, cursor))
                guard isWanted else { return }
            }
        }
    }

    package func position(at time: Instant) throws(StorageError) -> Position {
        guard let lastTime else { return .zero }
        if lastTime <= time { return head }
        // Times never go backwards: everything up to `lower` is at or before the time, everything from `upper` after.
        var (lower, upper) = (UInt64(0), head.value)
        while upper - lower > 1 {
            let middle = lower + (upper - lower) / 2
            if try self.time(at: middle) <= time { lower = middle } else { upper = middle }
        }
        return Position(lower)
    }

    package func verify(progress: (Position) -> Void) throws(StorageError) {
        try verifier().run { position in
            progress(position)
            return true
        }
    }

    /// What checks all that is committed by now, on another thread while this one goes on appending.
    package func verifier() -> LogVerifier { LogVerifier(environment, unflushed) }

    private func time(at position: UInt64) throws(StorageError) -> Instant {
        var found: Instant?
        _ = try record(at: Position(position)) { found = $0.time }
        guard let found else { throw Record.damaged(position, "is missing") }
        return found
    }

    /// False when `visit` wants no more.
    private func ascend(
        _ first: UInt64, _ last: UInt64, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) -> Bool {
        guard first <= last else { return true }
        return try reading { (transaction) throws(StorageError) in
            let cursor = try Cursor(transaction, .main)
            var position = first
            var bytes = try find(position, cursor)
            while visit(try Record.read(bytes, at: position)) {
                guard position < last else { return true }
                position += 1
                bytes = try LMDBEventLog.expect(position, cursor.next())
            }
            return false
        }
    }

    private func descend(
        _ last: UInt64, _ first: UInt64, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        guard first <= last else { return }
        try reading { (transaction) throws(StorageError) in
            let cursor = try Cursor(transaction, .main)
            var position = last
            var bytes = try find(position, cursor)
            while visit(try Record.read(bytes, at: position)), position > first {
                position -= 1
                bytes = try LMDBEventLog.expect(position, cursor.previous())
            }
        }
    }

    /// The record where it was last, else where the B-tree has it.
    @inline(__always)
    private func record(at position: Position, _ cursor: borrowing Cursor) throws(StorageError) -> EventRecord {
        if let place = places?.place(of: position), let record = Record.whole(place, at: position.value) {
            return record
        }
        let bytes = try find(position.value, cursor)
        let record = try Record.read(bytes, at: position.value)
        // While a turn is being put, some pages lie in memory that is given back after it.
        if liesInMap(position) { places?.note(bytes, of: position) }
        return record
    }

    private func find(_ position: UInt64, _ cursor: borrowing Cursor) throws(StorageError) -> UnsafeRawBufferPointer {
        var key = position.bigEndian
        let found = try withUnsafePointer(to: &key) { (pointer) throws(StorageError) in
            try cursor.find(UnsafeRawBufferPointer(start: pointer, count: 8))
        }
        return try LMDBEventLog.expect(position, found)
    }

    /// The value of the entry, which has to be the one at this position.
    @inline(__always)
    static func expect(_ position: UInt64, _ entry: LMDBEntry?) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let entry, PositionKey.position(entry.key) == position else {
            throw Record.damaged(position, "is missing")
        }
        return entry.value
    }
}
