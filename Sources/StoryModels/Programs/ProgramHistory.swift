package import StoryCore

/// The fold of the events of one stream into the row that a program makes of it; it keeps only that.
package final class ProgramHistory: PastRowFold {
    private let store = MemoryModelStore()
    private let schema: KindSchema
    private let key: RowKey
    /// The plans that the fold points into.
    private let plan: CataloguePlan
    private var fold: ModelFold

    /// Creates the history of a row, before its first event.
    ///
    /// - Parameters:
    ///   - kind: the row's kind, one of the plan's.
    ///   - events: the reader of the values that the program looks at.
    package init(_ plan: CataloguePlan, kind: Kind, key: RowKey, by program: Program, events: any EventReading) {
        (self.plan, self.key) = (plan, key.kept)
        schema = plan[kind].schema
        fold = ModelFold(program, plan[kind], store: store, events: events)
    }

    package func fold(_ record: EventRecord) {
        do throws(StorageError) { try fold.fold(record) } catch {
            preconditionFailure("a row in memory is not read: \(error)")
        }
    }

    package var row: RowCopy? {
        var row: RowCopy?
        do throws(StorageError) {
            _ = try RowLookup(store).row(schema, key) { row = RowCopy($0) }
        } catch {
            preconditionFailure("a row in memory is not read: \(error)")
        }
        return row
    }

    package var keptBytes: Int { store.bytes }
}
