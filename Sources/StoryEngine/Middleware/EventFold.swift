package import StoryCore
package import StoryFold

/// The fold of the log's records into the models, counted and timed.
///
/// The owner of the log folds each record as soon as the log has it; then the engine takes note of the event.
package final class EventFold {
    private let projector: ModelProjector
    private let timer: FoldTimer
    /// The declared models, which are folded behind the kinds; nil where there are none.
    package var declared: (any RecordFolding)?

    /// Creates a fold.
    ///
    /// - Parameter timer: counts and times folds; nil if nothing reads the figures.
    package init(_ projector: ModelProjector, catalogue: Catalogue, timer: FoldTimer? = nil) {
        self.projector = projector
        self.timer = timer ?? FoldTimer(catalogue, clock: { 0 }) { _, _ in }
    }

    /// Folds by a catalogue that follows the present one from now on.
    package func catalogueReplaced(by plan: CataloguePlan) {
        projector.catalogueReplaced(by: plan)
        timer.catalogueReplaced(by: plan.catalogue)
    }

    /// Folds the record of an event that was decided elsewhere: the state before it is looked up.
    ///
    /// - Throws: as `fold(_:after:)`.
    package func fold(_ record: EventRecord) throws(StorageError) {
        try fold(record, after: projector.prior(to: record))
    }

    /// Folds the record of an event that the log has taken.
    ///
    /// - Parameter prior: the state before the event.
    /// - Throws: the error of the models, which are then no fold of the log any more.
    package func fold(_ record: EventRecord, after prior: PriorState) throws(StorageError) {
        let stream = projector.kind(of: record)
        if timer.comesDue(stream?.kind) {
            try timer.measure(stream?.kind) { () throws(StorageError) in
                try projector.fold(record, of: stream, after: prior)
            }
        } else {
            try projector.fold(record, of: stream, after: prior)
        }
        declared?.fold(record)
    }

    /// The number of changes of declared models that were folded.
    package var definitionChanges: UInt64 { projector.definitionChanges }
}

/// A fold of the log's records that keeps its errors to itself.
package protocol RecordFolding: AnyObject {
    /// Folds the record of the event after those that were folded before.
    func fold(_ record: EventRecord)
}
