package import StoryCore

/// What folding one event did to one row.
package struct RowChange: Equatable, Sendable {
    package let kind: Kind
    package let number: StreamNumber
    /// Nil where the row was not there.
    package let before: Row?
    /// Nil where the row is gone.
    package let after: Row?

    package init(kind: Kind, number: StreamNumber, before: Row?, after: Row?) {
        self.kind = kind
        self.number = number
        self.before = before
        self.after = after
    }
}

/// Who is told of the changes of rows.
package protocol RowObserver: AnyObject {
    /// A row was changed; the store holds the row as it is after that.
    func rowChanged(_ change: RowChange)
    /// Some of the last changes were undone, nobody says which.
    func rowsRolledBack()
}

/// Tells observers of the changes of rows for as long as they live. A change is made only while there is one.
package final class RowChanges {
    private struct Entry {
        weak var observer: (any RowObserver)?
    }

    private var entries: [Entry] = []

    package init() {}

    /// True when nobody wants to know.
    package var isUnobserved: Bool { entries.isEmpty }

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
    package func publish(_ change: RowChange) {
        for entry in entries { entry.observer?.rowChanged(change) }
    }

    /// Tells that some of the last changes were undone.
    package func rolledBack() {
        for entry in entries { entry.observer?.rowsRolledBack() }
    }
}
