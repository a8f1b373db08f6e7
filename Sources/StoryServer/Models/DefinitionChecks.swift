import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
import StoryStorage

/// The dry runs of definitions, one after another on a thread.
///
/// A dry run of a model that answers begins once its store has everything that was acknowledged before the request.
final class DefinitionChecks {
    /// A request for a dry run.
    private struct Asked {
        let request: DefineRequest
        /// The last acknowledged event when it came.
        let position: Position
        let tag: Tag?
        let connection: Connection
    }

    /// The dry run that the thread works on.
    private struct Running {
        let asked: Asked
        let check: DefinitionCheck
        /// The definition that answers, whose store is read.
        let old: ServedDefinition?
        let progress: BuildProgress
        let job: BackgroundJob<DefinitionCheck.Outcome>
        /// True once events that it read were erased: nobody gets its rows.
        var isErased = false
    }

    /// The end of a dry run.
    struct Ended {
        let connection: Connection
        let tag: Tag?
        let result: Result<DefinitionCheck.Outcome, Failure>
    }

    private let parts: ModelParts
    private let declared: DeclaredModels
    private var waiting: [Asked] = []
    private var running: Running?
    /// The number of stores that dry runs have made; each has a name of its own.
    private var count: UInt32 = 0

    init(_ parts: ModelParts, _ declared: DeclaredModels) { (self.parts, self.declared) = (parts, declared) }

    /// Queues a dry run.
    ///
    /// - Parameter position: the last acknowledged event.
    func begin(_ request: DefineRequest, at position: Position, _ tag: Tag?, _ connection: Connection) {
        waiting.append(Asked(request: request, position: position, tag: tag, connection: connection))
    }

    /// Gives up the dry runs of a connection that is gone.
    func connectionClosed(_ connection: Connection) {
        waiting.removeAll { $0.connection === connection }
        if let running, running.asked.connection === connection { running.progress.cancel() }
    }

    /// Gives the dry run in progress up where it reads one of these categories, since events of them are erased.
    ///
    /// - Returns: its definition, whose store is in use until it has ended; nil where it goes on.
    func erase(_ categories: [String]) -> ServedDefinition? {
        guard let running, !running.isErased, running.check.new.compiled.program.reads(anyOf: categories) else {
            return nil
        }
        running.progress.cancel()
        running.check.new.readers += 1
        self.running?.isErased = true
        return running.check.new
    }

    /// Begins the next dry run where it can begin, and returns those that have ended.
    func advance() -> [Ended] {
        var ended: [Ended] = []
        if let running, let result = running.job.result { ended.append(end(running, result)) }
        guard running == nil, let next = waiting.first else { return ended }
        do throws(Failure) {
            guard try start(next) else { return ended }
        } catch {
            ended.append(Ended(connection: next.connection, tag: next.tag, result: .failure(error)))
        }
        waiting.removeFirst()
        return ended
    }

    /// Ends the dry run in progress and waits for it, since it reads files that are about to be closed.
    func end() {
        waiting = []
        guard let running else { return }
        running.progress.cancel()
        _ = end(running, running.job.wait())
    }

    /// Returns false where the store of the model must have more events first.
    private func start(_ asked: Asked) throws(Failure) -> Bool {
        guard let log = parts.stored else { throw Failure(.denied, "a dry run needs a log on a disk") }
        let old = declared.served[asked.request.name]
        if let old {
            guard old.checkpoints.checkpointed >= asked.position, old.checkpoints.isAtRest else {
                old.checkpoints.ask(through: asked.position)
                if let failure = old.checkpoints.failure { throw .storage(failure) }
                return false
            }
        }
        do throws(StorageError) {
            let (check, view) = (try self.check(asked, beside: old), try LogView(log))
            let progress = BuildProgress(.zero)
            let job = parts.starter.start { () throws(StorageError) in try check.run(view, progress) }
            running = Running(asked: asked, check: check, old: old, progress: progress, job: job)
        } catch {
            throw .storage(error)
        }
        old?.readers += 1
        return true
    }

    private func check(_ asked: Asked, beside old: ServedDefinition?) throws(StorageError) -> DefinitionCheck {
        count += 1
        let numbered = DeclaredModel.Numbered(number: .max - count, position: .zero, text: asked.request.text)
        let view = try old.map { (old) throws(StorageError) in try old.store.view() }
        let new = try parts.definition(asked.request.name, numbered)
        return DefinitionCheck(
            new, beside: old.flatMap { old in view.map { (old.compiled, $0) } }, at: view?.position ?? asked.position,
            limit: asked.request.check ?? 0)
    }

    private func end(_ running: Running, _ result: Result<DefinitionCheck.Outcome, StorageError>) -> Ended {
        self.running = nil
        running.old?.readers -= 1
        guard !running.isErased else {
            running.check.new.readers -= 1
            let failure = Failure(.busy, "events that the dry run read were erased meanwhile; send it again")
            return Ended(connection: running.asked.connection, tag: running.asked.tag, result: .failure(failure))
        }
        declared.served.remove(running.check.new)
        return Ended(
            connection: running.asked.connection, tag: running.asked.tag,
            result: result.mapError { [trace = parts.trace] error in
                // A client that left is no failure of the disk.
                if case .failed = error, running.progress.isCancelled { return .storage(error) }
                return trace.failure(of: error)
            })
    }
}

/// The answer with the rows of a dry run.
final class CheckAnswer: AnswerCursor {
    private let outcome: DefinitionCheck.Outcome
    private var next = 0

    init(_ outcome: DefinitionCheck.Outcome) { self.outcome = outcome }

    var keptBytes: Int { 1_024 + (outcome.lines.count - next) * 1_024 }

    func step(into lines: any AnswerLines) -> CursorStep {
        while lines.hasRoom, !lines.isSpent {
            guard next < outcome.lines.count else {
                return .ended(.done(.members(outcome.closing)), restsOn: .zero)
            }
            lines.row(.line(outcome.lines[next]))
            next += 1
        }
        return .more
    }
}
