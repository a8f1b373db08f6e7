package import StoryCore
package import StoryFold

/// The fold of the log's records into the models, counted and timed.
///
/// The owner of the log folds each record as soon as the log has it; then the engine takes note of the event.
package final class EventFold {
    private let projector: ModelProjector
    private let timer: FoldTimer
    /// The declared models, which are folded behind the kinds; nil where there are none.
    private let declared: (any RecordFolding)?

    /// Creates a fold.
    ///
    /// - Parameters:
    ///   - timer: counts and times folds; nil if nothing reads the figures.
    ///   - declared: the declared models; nil where there are none.
    package init(
        _ projector: ModelProjector, catalogue: Catalogue, timer: FoldTimer? = nil,
        declared: (any RecordFolding)? = nil
    ) {
        (self.projector, self.declared) = (projector, declared)
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

/// The counter and timer of folds by kind: times one in sixteen, since two reads of the clock would cost a tenth of a
/// fold.
package final class FoldTimer {
    private let clock: () -> UInt64
    private let record: (_ kind: Kind?, _ nanoseconds: UInt64) -> Void
    /// The number of the users' own events, then of those of each kind, by its number.
    private var counts: [UInt64]

    /// - Parameters:
    ///   - clock: monotonic time in nanoseconds.
    ///   - record: called with the event's kind, nil for the users' own events, and the duration of its fold.
    package init(
        _ catalogue: Catalogue, clock: @escaping () -> UInt64,
        record: @escaping (_ kind: Kind?, _ nanoseconds: UInt64) -> Void
    ) {
        counts = Array(repeating: 0, count: catalogue.numberEnd + 1)
        self.clock = clock
        self.record = record
    }

    /// Counts the events of another catalogue's kinds from now on.
    func catalogueReplaced(by catalogue: Catalogue) {
        counts += Array(repeating: 0, count: max(0, catalogue.numberEnd + 1 - counts.count))
    }

    /// Returns the number of folded events of a kind; nil for the users' own.
    package func count(of kind: Kind?) -> UInt64 { counts[FoldTimer.slot(kind)] }

    /// Returns the index of a kind in arrays that have one element for the users' own events before those of the kinds.
    package static func slot(_ kind: Kind?) -> Int { kind.map { Int($0.number) + 1 } ?? 0 }

    /// Counts an event that is about to be folded; returns true if it is to be timed.
    @inline(__always)
    func comesDue(_ kind: Kind?) -> Bool {
        let slot = FoldTimer.slot(kind)
        let count = counts[slot]
        counts[slot] = count + 1
        return count & 15 == 0
    }

    /// Runs the fold and records its duration.
    ///
    /// - Parameter kind: the event's kind; nil for the users' own.
    /// - Throws: the error of the fold.
    func measure(_ kind: Kind?, _ fold: () throws(StorageError) -> Void) throws(StorageError) {
        let began = clock()
        try fold()
        record(kind, clock() - began)
    }
}
