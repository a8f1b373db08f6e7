package import StoryCore

/// A fold of the events of one stream, in their order, into a row as it was.
package protocol PastRowFold: AnyObject {
    /// A copy of the row so far; nil where there is none.
    var row: RowCopy? { get }
    /// The memory that it keeps, in bytes.
    var keptBytes: Int { get }
    /// Folds the next event of the stream, as long as work is left.
    ///
    /// - Parameter work: the work that may be done; the work that was done is taken off.
    /// - Returns: false where the same event is to be gone on with.
    func fold(_ record: EventRecord, _ work: inout Work) -> Bool
}

/// A copy of a record, in memory of its own.
package final class RecordCopy {
    /// The record; valid as long as this object.
    package let record: EventRecord
    private let memory: UnsafeMutableRawBufferPointer

    /// Copies a record.
    package init(_ record: EventRecord) {
        memory = .allocate(byteCount: max(record.json.count, 1), alignment: 16)
        memory.copyMemory(from: record.json)
        self.record = EventRecord(record, json: UnsafeRawBufferPointer(memory).slice(0, count: record.json.count))
    }

    deinit { memory.deallocate() }
}

/// The fold of one row's history, event by event, by the same fold as `ModelProjector`; it keeps only the row.
package final class RowHistory: PastRowFold {
    private let plan: CataloguePlan
    private let kind: KindPlan
    private let json: any JSONReading
    private var fold = RowFold()
    /// The row so far, in the memory of `fold`; nil where there is none.
    private var view: RowView?
    package var row: RowCopy? { view.map { RowCopy($0) } }
    /// The size of the row, and of the buffer in which the next state is made, in bytes.
    package var keptBytes: Int { 2 * (view?.bytes.count ?? 0) }

    /// Creates the history of a row of a kind, before its first event.
    ///
    /// - Parameters:
    ///   - kind: the row's kind, one of the plan's.
    ///   - json: the reader of the events' data.
    package init(_ plan: CataloguePlan, kind: Kind, json: any JSONReading) {
        self.plan = plan
        self.kind = plan[kind]
        self.json = json
    }

    /// Folds the next event of the row's stream, which is short work.
    package func fold(_ record: EventRecord, _ work: inout Work) -> Bool {
        work -= .fold
        let event = FoldedEvent(record, idStart: kind.schema.category.utf8.count + 1)
        record.withData(json) { members in
            if case .fitting(let change?, _) = self.fold.fold(kind, event, members, into: view) { view = change.after }
        }
        return true
    }
}
