package import StoryCore

/// The newest row changes of durable events, numbered in the order of the events; the oldest ones are dropped where
/// they exceed a limit.
package struct DurableChanges {
    private let maxBytes: Int
    private var changes: [DurableChange] = []
    /// The number of changes at the front that were dropped, and are removed later.
    private var dropped = 0
    /// The number of the first change in `changes`.
    private var base: UInt64 = 0
    private var keptBytes = 0
    /// The number of the newest change of each row.
    private var newest: [RowNumber: UInt64] = [:]

    /// Creates an empty list.
    ///
    /// - Parameter maxBytes: the memory from which on the oldest changes are dropped before others are appended.
    package init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// The number of the first change that is kept.
    package var first: UInt64 { base + UInt64(dropped) }
    /// The number that the next change will get.
    package var end: UInt64 { base + UInt64(changes.count) }

    /// Returns the change with a number from `first` to before `end`.
    package subscript(number: UInt64) -> DurableChange { changes[Int(number - base)] }

    /// Appends a change.
    mutating func append(_ change: RowChange) {
        let row = RowNumber(change.kind.schema, change.number)
        let previous = newest[row].map { (number: $0, change: self[$0]) }
        let durable = DurableChange(change, previous: previous?.number, sharing: previous?.change.after)
        previous?.change.next = end
        newest[row] = end
        changes.append(durable)
        keptBytes += durable.keptBytes
    }

    /// Keeps the encoded push of a change.
    mutating func keep(_ push: [UInt8], of change: DurableChange) {
        change.push = push
        keptBytes += push.count
    }

    /// Drops the oldest changes until the others are within the limit.
    mutating func trim() { while keptBytes > maxBytes, dropped < changes.count { dropFirst() } }

    /// Drops all changes.
    mutating func removeAll() {
        base = end
        (changes, dropped, keptBytes, newest) = ([], 0, 0, [:])
    }

    /// Drops all changes, and one that was not noted: whoever had all of them lacks that one.
    mutating func lose() {
        removeAll()
        base += 1
    }

    private mutating func dropFirst() {
        let change = changes[dropped]
        if newest[change.row] == first { newest[change.row] = nil }
        keptBytes -= change.keptBytes
        dropped += 1
        guard dropped > changes.count / 2 else { return }
        changes.removeFirst(dropped)
        base += UInt64(dropped)
        dropped = 0
    }
}

/// A row change of a durable event, kept for the subscriptions that have not taken it.
package final class DurableChange {
    /// The schema of the row's kind.
    package let schema: KindSchema
    /// The row's key.
    package let key: [UInt8]
    /// The position of the event.
    package let position: Position
    /// The row before the event; nil where there was none.
    package let before: RowCopy?
    /// The row after the event; nil where it was removed.
    package let after: RowCopy?
    /// The number of the row's change before this one; nil where that is not kept.
    package let previous: UInt64?
    /// The number of the row's change after this one; nil while this one is the last.
    package internal(set) var next: UInt64?
    /// The encoded push of the row after the event, once a subscription has needed it.
    package internal(set) var push: [UInt8]?
    /// The row among all kinds.
    let row: RowNumber

    /// Copies a change.
    ///
    /// - Parameters:
    ///   - previous: the number of the row's change before this one.
    ///   - before: the row as that change left it, which is shared; nil without such a change.
    init(_ change: RowChange, previous: UInt64?, sharing before: RowCopy?) {
        schema = change.kind.schema
        key = [UInt8](change.key)
        position = change.position
        self.before = before ?? change.before.map { RowCopy($0) }
        after = change.after.map { RowCopy($0) }
        self.previous = previous
        row = RowNumber(change.kind.schema, change.number)
    }

    /// The memory that it keeps, in bytes.
    var keptBytes: Int {
        let own = previous == nil ? before?.bytes.count ?? 0 : 0
        return 256 + key.count + own + (after?.bytes.count ?? 0) + (push?.count ?? 0)
    }
}
