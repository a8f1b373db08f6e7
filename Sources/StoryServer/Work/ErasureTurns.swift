import StoryCluster
import StoryCore
import StoryEngine
import StoryReactor
import StoryStorage

/// The part of a turn in which erasures are noted, carried out and answered.
final class ErasureTurns {
    private let erasing: Erasing
    private let waits: ErasureWaits
    private let engine: Engine
    private let driver: CommitDriver
    private let declared: DeclaredModels
    private let work: RequestedWork
    private let clients: Clients
    private let uid: UInt32
    /// Nil for models in memory.
    private let rebuild: ModelRebuild?
    /// False where another store appends the ends of erasures.
    private let announces: () -> Bool
    /// Nil for a store of its own.
    private let cluster: ClusterDriver?
    /// The tick in which the nodes told one another last how far they came.
    private var exchanged: UInt64?
    /// The position from which erasures without an end are looked for; nil once all were looked at.
    private var sought: Position? = Position(1)
    /// Those that were found, until their ends are in the log for good.
    private var unended: [ErasedRecord] = []
    /// The tick in which their ends were appended last.
    private var ended: UInt64?

    init(
        _ erasing: Erasing, _ waits: ErasureWaits, work: RequestedWork, clients: Clients, uid: UInt32,
        rebuild: ModelRebuild?, cluster: ClusterDriver?, announces: @escaping () -> Bool
    ) {
        (self.erasing, self.waits, self.work, self.clients) = (erasing, waits, work, clients)
        (self.uid, self.rebuild, self.cluster, self.announces) = (uid, rebuild, cluster, announces)
        (engine, driver, declared) = (clients.engine, clients.driver, clients.driver.declared)
    }

    /// True while files are changed that a check or a copy of the log reads.
    var holdsJobs: Bool { erasing.holdsJobs }

    /// Tells the other nodes how far this one came, and takes over how far they did; once a tick.
    private func exchange() {
        guard let cluster, !driver.isHalfFolded, driver.tick != exchanged else { return }
        exchanged = driver.tick
        attempt { () throws(StorageError) in
            let last = try engine.erasures.last()
            cluster.erased(NodeErasures(through: erasing.through(driver.acknowledged), last: last))
        }
        waits.nodes = cluster.erasures
    }

    /// Has the models that read the events of new orders built again: nobody reads their rows.
    func note() {
        erasing.acknowledged(through: driver.acknowledged)
        exchange()
        guard !driver.isHalfFolded else { return }
        if erasing.isUnderWay {
            attempt { () throws(StorageError) in
                for order in try erasing.takeOrders(engine) {
                    declared.erase(order.categories)
                    if let rehearsed = work.checks.erase(order.categories) { declared.erase(rehearsed) }
                }
            }
        }
        guard engine.hasErasedRows else { return }
        engine.erasuresTaken(through: driver.acknowledged)
        if !engine.hasErasedRows { driver.transport.requestTurn() }
    }

    /// Appends the ends that a copy lacks: the content was never in it, as its source had not ended the erasures.
    private func endThoseOfCopies() {
        guard sought != nil || !unended.isEmpty, ended != driver.tick, announces(), driver.life.isServing,
            !driver.isHalfFolded, !driver.life.hasFailed
        else { return }
        ended = driver.tick
        attempt { () throws(StorageError) in
            if let from = sought {
                let page = try engine.erasures.unended(from: from, through: driver.acknowledged)
                unended += page.found
                sought = page.next
            }
            var left: [ErasedRecord] = []
            for erased in unended {
                let end = try engine.erasures.end(of: erased)
                if end == nil { _ = try announce(erased) }
                if end.map({ $0 > driver.acknowledged }) ?? true { left.append(erased) }
            }
            unended = left
        }
    }

    /// Carries the orders out as far as that goes without waiting.
    func advance() {
        endThoseOfCopies()
        guard erasing.isUnderWay, !driver.isHalfFolded, !driver.life.hasFailed else { return }
        attempt { () throws(StorageError) in
            try erasing.advance(
                Erasing.Surroundings(
                    tick: driver.tick, areJobsIdle: work.jobs.areIdle, declared: declared, rebuild: rebuild,
                    finding: work.finding,
                    announce: announce, engine: engine, acknowledged: driver.acknowledged))
        }
    }

    /// Replies to the requests whose erasure has ended.
    func answer() {
        guard !driver.isHalfFolded else { return }
        attempt { () throws(StorageError) in
            for answer in try waits.answers(engine, acknowledged: driver.acknowledged) { clients.answer(answer) }
        }
    }

    /// Fails the requests whose event `Erased` was undone.
    func undone(after position: Position, _ failure: Failure) {
        for answer in waits.rolledBack(to: position, failure) { clients.answer(answer) }
    }

    /// Waits for the step in progress, after the loop has ended.
    func end() { attempt { () throws(StorageError) in try erasing.end() } }

    /// Appends `ErasureDone` of an erasure; returns false where that is not possible now, nil where others append it.
    ///
    /// A node that follows waits for the event of the one that leads, and appends it once it leads itself.
    private func announce(_ erased: ErasedRecord) throws(StorageError) -> Bool? {
        guard announces() else { return cluster == nil ? nil : false }
        guard driver.life.isServing, !driver.holdsWrites(), engine.refusal == nil else { return false }
        engine.flush()
        try engine.erasures.ended(
            erased.number, on: erasing.media, by: uid, driver.clock.now(), into: clients.output(nil))
        driver.transport.requestTurn()
        return true
    }

    private func attempt(_ step: () throws(StorageError) -> Void) {
        do throws(StorageError) { try step() } catch { driver.fail(error) }
    }
}
