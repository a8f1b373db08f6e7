import StoryCore

/// Who is told of the changes of rows.
package protocol RowObserver: AnyObject {
    /// A row was changed; the store holds the row as it is after that.
    ///
    /// - Parameter change: its bytes die when this returns.
    func rowChanged(_ change: borrowing RowChange)
    /// Some of the last changes were undone, nobody says which.
    func rowsRolledBack()
}

/// Tells observers of the changes of rows for as long as they live.
package final class RowChanges {
    private struct Entry {
        weak var observer: (any RowObserver)?
    }

    private var entries: [Entry] = []

    package init() {}

    /// Tells an observer from now on, unless so many are told already; the observer is not kept alive.
    package func add(_ observer: any RowObserver, atMost limit: Int) -> Bool {
        entries.removeAll { $0.observer == nil }
        guard entries.count < limit else { return false }
        entries.append(Entry(observer: observer))
        return true
    }

    /// Tells an observer no more.
    package func remove(_ observer: any RowObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Tells of a change.
    package func publish(_ change: borrowing RowChange) {
        for entry in entries { entry.observer?.rowChanged(change) }
    }

    /// Tells that some of the last changes were undone.
    package func rolledBack() {
        for entry in entries { entry.observer?.rowsRolledBack() }
    }
}
