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
