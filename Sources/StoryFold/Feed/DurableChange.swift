package import StoryCore

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
