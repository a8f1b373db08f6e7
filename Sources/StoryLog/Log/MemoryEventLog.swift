package import StoryCore
import StoryStorage

/// A log in memory, for tests: the same contract, nothing durable, no seals.
package final class MemoryEventLog: EventLog {
    package var head: Position { Position(UInt64(records.count)) }
    package private(set) var committed: Position = .zero
    package var flushed: Position { committed }
    package private(set) var lastTime: Instant?
    package let storeID: [UInt8]
    package var bytes: Int { records.reduce(0) { $0 + $1.count } }
    /// What the next commit throws instead of committing; then nil again.
    package var commitFailure: StorageError?

    /// Header and JSON of each event; the first is that of position 1.
    private var records: [[UInt8]] = []
    private var committedTime: Instant?
    private let staged = StagedRecord()

    package init(storeID: [UInt8] = Array(repeating: 7, count: 16)) { self.storeID = storeID }

    package func append(_ event: EventPlace, json: UnsafeRawBufferPointer) throws(StorageError) {
        precondition(event.position == head.next, "An event's position is the one after the head.")
        staged.hold(event, json)
        staged.close()
        records.append(Array(staged.bytes))
        staged.release()
        lastTime = event.time
    }

    package func commit() throws(StorageError) {
        if let failure = commitFailure {
            commitFailure = nil
            throw failure
        }
        committed = head
        committedTime = lastTime
    }

    package func abandon() {
        records.removeLast(Int(head.value - committed.value))
        lastTime = committedTime
    }

    package func flush() {}

    package func scan(
        from: Position, through: Position, order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) {
        let first = max(from.value, 1)
        let last = min(through.value, head.value)
        guard first <= last else { return }
        for step in 0...last - first {
            guard try read(order == .ascending ? first + step : last - step, visit) else { return }
        }
    }

    package func record(at position: Position, _ visit: (EventRecord) -> Void) throws(StorageError) -> Bool {
        guard position > .zero, position <= head else { return false }
        try read(position.value, visit)
        return true
    }

    package func records(at positions: [Position], _ visit: (EventRecord) -> Bool) throws(StorageError) {
        for position in positions {
            guard position > .zero, position <= head, try read(position.value, visit) else { return }
        }
    }

    package func position(at time: Instant) throws(StorageError) -> Position {
        var found = Position.zero
        try scan(from: Position(1), through: head, order: .ascending) { record in
            guard record.time <= time else { return false }
            found = record.position
            return true
        }
        return found
    }

    package func verify(progress: (Position) -> Void) throws(StorageError) {
        try scan(from: Position(1), through: committed, order: .ascending) { _ in true }
        progress(committed)
    }

    package func close() {}

    @discardableResult
    private func read<Result>(_ position: UInt64, _ visit: (EventRecord) -> Result) throws(StorageError) -> Result {
        let bytes = records[Int(position - 1)]
        return try bytes.withBytes { (bytes) throws(StorageError) in visit(try Record.read(bytes, at: position)) }
    }
}
