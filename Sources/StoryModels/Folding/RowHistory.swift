package import StoryCore

/// The fold of one row's history, event by event, by the same fold as `ModelProjector`; it keeps only the row.
package final class RowHistory: OwnRows {
    private let plan: CataloguePlan
    private let kind: KindPlan
    private let json: any JSONReading
    private var fold: RowFold
    /// The row so far, in the memory of `fold`; nil where there is none.
    package private(set) var row: RowView?

    /// Creates the history of a row of a kind, before its first event.
    ///
    /// - Parameters:
    ///   - kind: the row's kind, one of the plan's.
    ///   - json: the reader of the events' data.
    package init(_ plan: CataloguePlan, kind: Kind, json: any JSONReading) {
        self.plan = plan
        self.kind = plan[kind]
        self.json = json
        fold = RowFold(json)
    }

    /// Folds the next event of the row's stream.
    package func fold(_ record: EventRecord) {
        let event = FoldedEvent(record, idStart: kind.schema.category.utf8.count + 1)
        guard !kind.hasOwnNumbers else { return foldOwnRow(record, event) }
        record.withData(json) { members in
            if case .fitting(let change?, _) = self.fold.fold(kind, event, members, into: row) { row = change.after }
        }
    }

    // MARK: OwnRows

    private func foldOwnRow(_ record: EventRecord, _ event: FoldedEvent) {
        record.withData(json) { members in
            do throws(StorageError) {
                try self.fold.fold(kind, event, members, into: self)
            } catch {
                preconditionFailure("a row in memory is not read: \(error)")
            }
        }
    }

    func row(_ kind: KindPlan, _ key: UnsafeRawBufferPointer) -> RowView? { self.row }
    /// A row of the past is shown without its number.
    func nextNumber(_ kind: KindPlan) -> UInt64 { 0 }
    func rowChanged(_ change: RowChange) { row = change.after }
}
