import StoryCore

/// What readings find in memory, because the environment does not hold it: the newest event of a turn that is under
/// way, or what the journal of another process holds.
extension LMDBEventLog {
    /// The last position up to here that the environment's transaction holds.
    func storedPart(_ last: UInt64) -> UInt64 {
        guard let first = staged.position?.value ?? tail?.first else { return last }
        return min(last, first - 1)
    }

    /// Visits positions that are in memory, all of them; false when `visit` wants no more.
    func visitMemory(
        _ first: UInt64, _ last: UInt64, _ order: Order, _ visit: (EventRecord) -> Bool
    ) throws(StorageError) -> Bool {
        guard first <= last else { return true }
        for step in 0...last - first {
            guard try visitMemory(order == .ascending ? first + step : last - step, visit) else { return false }
        }
        return true
    }

    func visitMemory(_ position: UInt64, _ visit: (EventRecord) -> Bool) throws(StorageError) -> Bool {
        if let tail { return visit(try Record.read(tail.record(at: position), at: position)) }
        staged.close()
        return visit(try Record.read(staged.bytes, at: position))
    }

    /// What is committed and not in the environment; nil when everything is.
    var unflushed: JournalTail? { journal.map { $0.tail(after: flushed) } ?? tail }
}
