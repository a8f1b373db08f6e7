import StoryCore

/// An observer of row changes.
package protocol RowObserver: AnyObject {
    /// Called after a row changed; the store already holds the new row.
    ///
    /// - Parameter change: the change, valid until this returns.
    func rowChanged(_ change: borrowing RowChange)
    /// Called after some of the last changes were rolled back; it is unknown which.
    func rowsRolledBack()
}

/// The publisher of row changes; it holds its observers weakly.
package final class RowChanges {
    /// A weak reference to an observer.
    private struct Entry {
        weak var observer: (any RowObserver)?
    }

    private var entries: [Entry] = []

    /// Creates a publisher without observers.
    package init() {}

    /// Adds an observer, which is held weakly; returns false when there are `limit` already.
    package func add(_ observer: any RowObserver, atMost limit: Int) -> Bool {
        entries.removeAll { $0.observer == nil }
        guard entries.count < limit else { return false }
        entries.append(Entry(observer: observer))
        return true
    }

    /// Removes an observer.
    package func remove(_ observer: any RowObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Notifies the observers of a change.
    package func publish(_ change: borrowing RowChange) {
        for entry in entries { entry.observer?.rowChanged(change) }
    }

    /// Notifies the observers that some of the last changes were rolled back.
    package func rolledBack() {
        for entry in entries { entry.observer?.rowsRolledBack() }
    }
}
