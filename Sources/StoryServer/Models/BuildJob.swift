import StoryCore
import StoryLog
import StoryFold
import StoryStorage
import Synchronization

/// A fold of the log into the store of a definition, on a thread.
final class BuildJob {
    /// The definition that is folded; nobody else uses it until the job has ended.
    let definition: ServedDefinition
    private let progress: BuildProgress
    private let job: BackgroundJob<Bool>

    /// Begins to fold the events from the definition's last one through a position.
    ///
    /// - Parameter view: a view of the log that has these events.
    init(
        _ definition: ServedDefinition, _ view: LogView, through last: Position, on background: BackgroundStarter,
        whenDone: @escaping @Sendable () -> Void
    ) {
        let progress = BuildProgress(definition.folded)
        (self.definition, self.progress) = (definition, progress)
        job = BackgroundJob(
            on: background,
            { () throws(StorageError) in
                try definition.build(view, through: last, progress)
                return true
            }, whenDone: whenDone)
    }

    /// The last event that was folded, as far as the thread has told.
    var position: Position { progress.position }

    /// The outcome; nil while the thread works.
    var result: Result<Bool, StorageError>? { job.result }

    /// Has the thread end early; it stores the events that it has folded.
    func cancel() { progress.cancel() }

    /// Has the thread end early and waits for it.
    func end() {
        cancel()
        _ = job.wait()
    }
}

/// The progress of a build, and whether it must end.
final class BuildProgress: Sendable {
    private let reached: Atomic<UInt64>
    private let mustEnd = EndFlag()

    init(_ position: Position) { reached = Atomic(position.value) }

    /// The last event that was folded.
    var position: Position { Position(reached.load(ordering: .relaxed)) }

    /// True once the build must end.
    var isCancelled: Bool { mustEnd.isSet }

    /// Tells of the last event that was folded.
    func reached(_ position: Position) { reached.store(position.value, ordering: .relaxed) }

    /// Has the build end.
    func cancel() { mustEnd.set() }
}
