import StoryCore
import StoryEngine
import TestSupport
import Testing

/// The commit cycle, step by step.
struct TurnTests {
    private let full = StorageError.full("no room")
    private let failed = StorageError.failed("EIO")
    private let refusal = Failure(.full, "no room; nothing was written")

    /// A machine with events 4 and 5 appended after three that are durable.
    private func openTurn() -> Turn {
        var turn = Turn(stored: Position(3))
        expect(turn.appended(through: Position(4)) == .none)
        expect(turn.appended(through: Position(5)) == .none)
        return turn
    }

    /// The same, with the commit under way.
    private func committingTurn() -> Turn {
        var turn = openTurn()
        expect(turn.turnEnded(.commitOnWorker) == .commitOnWorker)
        return turn
    }

    @Test func `what is open waits while more is expected, and what is durable leaves`() {
        var turn = openTurn()
        expect(turn.turnEnded(.wait(nanoseconds: 0)) == .release(through: Position(3)))
        expect(turn.state == .open(head: Position(5)))
        expect(turn.turnEnded(.commitOnWorker) == .commitOnWorker)
    }

    @Test func `a turn in which nothing is written releases what rests on what is durable`() {
        var turn = Turn(stored: Position(3))
        expect(turn.turnEnded(.commitOnWorker) == .release(through: Position(3)))
        expect(turn.state == .idle)
        expect(turn.checkpointPosition == Position(3))
    }

    @Test func `what was appended is committed when the turn ends, and released when the commit has`() {
        var turn = openTurn()
        expect(turn.state == .open(head: Position(5)))
        expect(turn.checkpointPosition == nil)
        expect(turn.turnEnded(.commitOnWorker) == .commitOnWorker)
        expect(turn.state == .committing(through: Position(5), next: .nothing))
        expect(turn.checkpointPosition == nil)
        expect(turn.commitEnded(.acknowledged) == .release(through: Position(5)))
        expect(turn.state == .idle)
        expect(turn.acknowledged == Position(5))
        expect(turn.checkpointPosition == nil, "it is acknowledged and not stored")
        turn.stored(through: Position(5))
        expect(turn.checkpointPosition == Position(5))
    }

    @Test func `while a commit goes on, turns end without another one, and what is appended waits for the next`() {
        var turn = committingTurn()
        expect(turn.commitDelayed() == .release(through: Position(3)))
        expect(turn.turnEnded(.commitOnWorker) == .release(through: Position(3)))
        expect(turn.appended(through: Position(6)) == .none)
        expect(turn.state == .committing(through: Position(5), next: .commit(head: Position(6))))
        expect(turn.turnEnded(.commitInline) == .release(through: Position(3)))
        expect(turn.commitEnded(.acknowledged) == .release(through: Position(5)))
        expect(turn.state == .open(head: Position(6)))
        expect(turn.turnEnded(.commitInline) == .commitInline)
        expect(turn.commitEnded(.acknowledged) == .release(through: Position(6)))
    }

    @Test func `a full disk rolls back everything that is not durable, and the turn goes on`() {
        var turn = committingTurn()
        _ = turn.appended(through: Position(6))
        expect(turn.commitEnded(.refused(refusal)) == .rollBack(refusal))
        expect(!turn.takesAppends)
        expect(turn.checkpointPosition == nil)
        expect(turn.rollBackFinished(.success(())) == .release(through: Position(3)))
        expect(turn.state == .idle)
        expect(turn.acknowledged == Position(3))
        expect(turn.takesAppends)
    }

    @Test func `an append that finds no room rolls back when the turn ends`() {
        var turn = openTurn()
        expect(turn.appendFailed(full) == .none)
        expect(!turn.takesAppends)
        expect(turn.appended(through: Position(9)) == .none)
        expect(turn.turnEnded(.commitOnWorker) == .rollBack(refusal))
        expect(turn.rollBackFinished(.success(())) == .release(through: Position(3)))
    }

    @Test func `an append that finds no room while a commit goes on takes nothing back that the commit holds`() {
        var turn = committingTurn()
        expect(turn.appendFailed(full) == .none)
        expect(turn.state == .committing(through: Position(5), next: .rollBack(refusal)))
        expect(!turn.takesAppends)
        expect(turn.commitEnded(.acknowledged) == .release(through: Position(5)))
        expect(turn.turnEnded(.commitOnWorker) == .rollBack(refusal))
        expect(turn.rollBackFinished(.success(())) == .release(through: Position(5)))
    }

    @Test func `an event that is not folded is rolled back, after the commit under way`() {
        let damage = Failure.storage(.corrupt("page 7", at: nil))
        var turn = openTurn()
        expect(turn.foldFailed(damage) == .none && !turn.takesAppends)
        expect(turn.turnEnded(.commitOnWorker) == .rollBack(damage))
        turn = committingTurn()
        expect(turn.foldFailed(damage) == .none && !turn.takesAppends && turn.checkpointPosition == nil)
        expect(turn.turnEnded(.commitOnWorker) == .release(through: Position(3)))
        expect(turn.commitEnded(.acknowledged) == .release(through: Position(5)))
        expect(turn.turnEnded(.commitOnWorker) == .rollBack(damage))
    }

    @Test func `a rollback that fails stops the process, and nothing leaves`() {
        var turn = committingTurn()
        expect(turn.commitEnded(.refused(refusal)) == .rollBack(refusal))
        expect(turn.rollBackFinished(.failure(failed)) == .stop(failed))
        expectStopped(&turn)
    }

    @Test func `a commit, an append or a reading that fails stops the process`() {
        var turn = committingTurn()
        expect(turn.commitEnded(.failed(failed)) == .stop(failed))
        expectStopped(&turn)
        turn = openTurn()
        expect(turn.appendFailed(failed) == .stop(failed))
        expectStopped(&turn)
        turn = openTurn()
        expect(turn.storageFailed(.corrupt("rot", at: nil)) == .stop(.corrupt("rot", at: nil)))
        expect(turn.storageFailed(failed) == .none, "it is said once")
        expectStopped(&turn)
    }

    @Test func `a flush that fails stops the process unless the disk is full`() {
        var turn = Turn(stored: Position(3))
        expect(turn.flushFailed(full) == .none)
        expect(turn.checkpointPosition == Position(3))
        expect(turn.flushFailed(failed) == .stop(failed))
        expectStopped(&turn)
    }

    @Test func `ends that nobody waits for are nothing`() {
        var turn = openTurn()
        expect(turn.commitEnded(.acknowledged) == .none)
        expect(turn.rollBackFinished(.success(())) == .none)
        expect(turn.commitDelayed() == .none)
        expect(turn.state == .open(head: Position(5)))
    }

    @Test func `a commit that was refused is undone with what its client is told, whatever the reason`() {
        var turn = committingTurn()
        let fenced = Failure(.busy, "another node leads")
        expect(turn.commitEnded(.refused(fenced)) == .rollBack(fenced))
        expect(turn.rollBackFinished(.success(())) == .release(through: Position(3)))
        expect(turn.state == .idle)
    }

    @Test func `an entry from elsewhere is acknowledged at once, and stored by the next commit`() {
        var turn = Turn(stored: Position(3))
        expect(turn.takesEntries)
        expect(turn.arrived(through: Position(6)) == .none)
        expect(turn.acknowledged == Position(6) && turn.stored == Position(3))
        expect(turn.takesEntries && turn.checkpointPosition == nil)
        expect(turn.turnEnded(.commitOnWorker) == .commitOnWorker)
        expect(turn.commitDelayed() == .release(through: Position(6)))
        expect(turn.arrived(through: Position(7)) == .none)
        expect(turn.commitEnded(.acknowledged) == .release(through: Position(7)))
        turn.stored(through: Position(6))
        expect(turn.state == .open(head: Position(7)) && turn.checkpointPosition == nil)
    }

    @Test func `no entry from elsewhere follows an event that is not acknowledged`() {
        var turn = openTurn()
        expect(!turn.takesEntries)
        let before = turn
        expect(turn.arrived(through: Position(9)) == .none)
        expect(turn == before)
        turn = committingTurn()
        expect(!turn.takesEntries)
        _ = turn.commitEnded(.acknowledged)
        expect(turn.takesEntries)
    }

    @Test func `what is acknowledged elsewhere is not undone where it finds no room, but stored later`() {
        var turn = Turn(stored: Position(3))
        _ = turn.arrived(through: Position(5))
        _ = turn.turnEnded(.commitOnWorker)
        expect(turn.commitEnded(.refused(refusal)) == .storeLater(refusal))
        expect(turn.state == .open(head: Position(5)) && turn.acknowledged == Position(5))
        _ = turn.appended(through: Position(6))
        _ = turn.turnEnded(.commitOnWorker)
        expect(turn.commitEnded(.refused(refusal)) == .rollBack(refusal), "the event of this process is undone")
        expect(turn.rollBackFinished(.success(())) == .release(through: Position(5)))
        expect(turn.state == .open(head: Position(5)))
    }

    /// No input leads to anything any more.
    private func expectStopped(_ turn: inout Turn) {
        let before = turn
        expect(turn.stopReason != nil)
        expect(turn.checkpointPosition == nil, "no checkpoint can begin")
        expect(!turn.takesAppends)
        expect(turn.appended(through: Position(99)) == .none)
        expect(turn.appendFailed(full) == .none)
        expect(turn.turnEnded(.commitOnWorker) == .none)
        expect(turn.commitDelayed() == .none)
        expect(turn.commitEnded(.acknowledged) == .none)
        expect(turn.commitEnded(.refused(refusal)) == .none)
        expect(turn.rollBackFinished(.success(())) == .none)
        expect(turn.flushFailed(failed) == .none)
        expect(turn.storageFailed(failed) == .none)
        expect(turn == before)
    }
}
