import StoryCore
import StoryLog
import StoryFold
import StoryStorage
import Synchronization

/// The rows of a definition that another one takes over, since it makes the same ones.
struct RowSource {
    /// The definition that has them.
    let definition: ServedDefinition
    /// The lines of misfits in the text of the other definition.
    let lines: LineMapping
    /// The position that they must be stored up to.
    let position: Position
}

/// A fold of the log into the store of a definition, or a transfer of rows to it, on a thread.
final class BuildJob {
    /// The definition that is built; nobody else uses it until the job has ended.
    let definition: ServedDefinition
    /// The definition whose rows are taken over; nil for a fold.
    let source: ServedDefinition?
    private let progress: BuildProgress
    private let job: BackgroundJob<Void>

    /// Begins to fold the events from the definition's last one through a position.
    ///
    /// - Parameters:
    ///   - view: a view of the log that has these events.
    ///   - returnFreedPages: returns freed memory to the system; called by the thread at its end.
    init(
        _ definition: ServedDefinition, _ view: LogView, through last: Position, starter: JobStarter,
        returnFreedPages: @escaping @Sendable () -> Void
    ) {
        let progress = BuildProgress(definition.folded)
        (self.definition, self.progress, source) = (definition, progress, nil)
        job = starter.start { () throws(StorageError) in
            defer { returnFreedPages() }
            try definition.build(view, through: last, progress)
        }
    }

    /// Begins to take rows over; no checkpoint of the definition that has them may be in progress, and its store stays
    /// open until `ended`.
    ///
    /// - Throws: the error of viewing the store.
    init(_ definition: ServedDefinition, from source: RowSource, starter: JobStarter) throws(StorageError) {
        let view = try source.definition.store.view()
        let progress = BuildProgress(definition.folded)
        (self.definition, self.progress, self.source) = (definition, progress, source.definition)
        source.definition.readers += 1
        job = starter.start { [lines = source.lines] () throws(StorageError) in
            try definition.take(from: view, lines, progress)
        }
    }

    /// Notes that the thread has ended.
    func ended() { source?.readers -= 1 }

    /// The last event that was folded, as far as the thread has told.
    var position: Position { progress.position }

    /// The number of rows that were taken over, as far as the thread has told.
    var rows: UInt64 { progress.rows }

    /// The outcome; nil while the thread works.
    var result: Result<Void, StorageError>? { job.result }

    /// Has the thread end early; it stores the events that it has folded.
    func cancel() { progress.cancel() }

    /// Has the thread end early and waits for it.
    func end() {
        cancel()
        _ = job.wait()
        ended()
    }
}

/// The progress of a build, and whether it must end.
final class BuildProgress: Sendable {
    private let reached: Atomic<UInt64>
    private let taken = Atomic<UInt64>(0)
    private let mustEnd = EndFlag()

    init(_ position: Position) { reached = Atomic(position.value) }

    /// The last event that was folded.
    var position: Position { Position(reached.load(ordering: .relaxed)) }

    /// The number of rows that were taken over.
    var rows: UInt64 { taken.load(ordering: .relaxed) }

    /// True once the build must end.
    var isCancelled: Bool { mustEnd.isSet }

    /// Reports the last event that was folded.
    func reached(_ position: Position) { reached.store(position.value, ordering: .relaxed) }

    /// Reports the number of rows that were taken over.
    func took(rows: UInt64) { taken.store(rows, ordering: .relaxed) }

    /// Has the build end.
    func cancel() { mustEnd.set() }
}
