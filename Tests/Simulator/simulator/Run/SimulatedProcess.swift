import Glibc
import LoopSupport
import StoryStore
import StoryCore
import StoryLog
import StoryFold
import StoryServer
import StoryStorage
import TestSupport

/// One process of the daemon: the shipped store and loop, and what is beside them in the simulation's hands.
final class SimulatedProcess {
    let store: OpenStore
    /// The loop; nil once the process has vanished.
    private var running: DrivenLoop?
    /// The stores of declared models.
    let modelFolders: TrackedModelFolders
    let held = HeldBackground()
    /// True where the models are replaced again and again.
    var isRebuilding: Bool
    private let bug: PlantedBug?
    private var ticks = 0
    private var replacements = 0
    let commits: any SimulatedCommits
    private let clock: DrivenClock
    private let cluster: (any NodeEtcd)?

    /// - Throws: why it does not start.
    init(
        _ clock: DrivenClock, journal: Int, _ habits: Habits, _ room: Habits.Room, _ story: Story, _ bug: PlantedBug?,
        cluster: (any NodeEtcd)?
    ) throws(StorageError) {
        let trace = Trace(now: { Instant(milliseconds: 0) }) { line in
            story.add(String(decoding: line.dropLast(), as: UTF8.self))
        }
        // The models of several nodes are replaced less often, since that takes long.
        isRebuilding = habits.steps % (cluster?.isOneOfSeveral == true ? 15 : 3) == 0
        (self.bug, self.clock, self.cluster) = (bug, clock, cluster)
        commits = bug == .acknowledgedEarly ? EarlyCommits() : HeldCommits(isHeld: true)
        let woken = WakeFlag()
        let store = try OpenStore(
            cluster?.path ?? "store", journal: journal, clock: clock.clock, trace: trace, as: cluster?.role ?? .store,
            background: held.background, whenFlushed: woken.set)
        self.store = store
        let log: any EventLog = bug.map { TwistedLog(store.log, $0) } ?? store.log
        let models = TwistedModels(store.models, bug, pages: habits.pages)
        var limits = Limits()
        limits.inflight = 16
        limits.ahead = 8_192
        (limits.connections, limits.idle) = (room.connections, room.idle)
        limits.commit = habits.commit
        // Nodes keep little in memory alone while their disks are full.
        if cluster?.isOneOfSeveral == true { limits.unstored = 3_000 }
        (limits.output, limits.memory, limits.leastOutput) = habits.output
        // With little memory, the feed keeps the changes of the last commit only, and slow followers fall off it.
        if habits.output.one < limits.feed { limits.feed = 0 }
        // In some runs each fold of declared models is done before its events are appended, an instruction or a row a turn.
        if habits.steps % 3 == 1 { (limits.shortFold, limits.foldStep) = (.zero, Work(nanoseconds: 1)) }
        let modelFolders = TrackedModelFolders(store.modelFolders, bug, pages: habits.pages)
        self.modelFolders = modelFolders
        running = try DrivenLoop(
            limits, clock, log: log, models: models, modelFolders: modelFolders,
            logWork: LogJobs(store.log, store.models),
            commits: commits,
            background: held.background, holdRight: bug == .namesAreNotHeld ? {} : store.holdRight, woken: woken,
            node: cluster?.node(history: store.log.storeID),
            through: { sockets in
                if let bug { TwistedTransport(sockets, bug) } else { sockets }
            })
    }

    var loop: DrivenLoop {
        guard let running else { preconditionFailure("The process has vanished.") }
        return running
    }

    /// How often the models were stored, and blocks.
    private(set) var checkpoints = 0
    private(set) var flushes = 0
    private var places = (models: Position.zero, log: Position.zero)

    /// Takes note of how far models and log are stored.
    ///
    /// - Throws: where models are stored that know more than the blocks.
    func look() throws {
        guard store.models.checkpointed <= store.log.flushed else {
            throw Difference(
                "the models are stored up to \(store.models.checkpointed.value), the log to \(store.log.flushed.value)")
        }
        if store.models.checkpointed > places.models { checkpoints += 1 }
        if store.log.flushed > places.log { flushes += 1 }
        places = (store.models.checkpointed, store.log.flushed)
    }

    /// True while work is held that may replace the models.
    var isReplacing: Bool { isRebuilding && held.count > 0 }
    var isStopped: Bool { loop.transport.isStopped }
    var stopReason: StorageError? { loop.server.stopReason }

    /// Ends turns while the loop wants another one at once; false where it still does.
    @discardableResult
    func turns(_ most: Int = 400) -> Bool {
        var count = 0
        while count < most, !isStopped, loop.endTurn() { count += 1 }
        // What the ordering service answers comes with later turns, as if from a socket.
        while count < most, !isStopped, cluster?.etcd?.deliver() == true {
            while count < most, !isStopped, loop.endTurn() { count += 1 }
            count += 1
        }
        if bug == .replacementDropsMemtables, loop.said(" rebuilt ") > replacements {
            replacements += 1
            store.models.discard()
        }
        return count < most
    }

    /// A tenth of a second goes by.
    func tick() {
        guard !isStopped else { return }
        ticks += 1
        if let cluster {
            clock.pass(nanoseconds: 100_000_000)
            cluster.ticked()
        }
        // The models are replaced as if a verification had found damage; the next start need not fold them again.
        if isRebuilding, ticks % 4 == 0 {
            store.models.suspect(.corrupt("the simulation says so", at: nil))
            unlink("\(cluster?.path ?? "store")/models/damaged")
        }
        loop.server.timerFired()
        turns()
    }

    /// A commit beside the loop ends.
    func endCommit() {
        guard commits.isRunning else { return }
        commits.end()
        loop.wake()
    }

    /// Nobody knows how a commit beside the loop ended.
    func endCommitInDoubt(isDone: Bool) {
        guard commits.isRunning else { return }
        commits.endInDoubt(isDone: isDone)
        loop.wake()
    }

    /// Everything beside the loop ends.
    func endAll() {
        endCommit()
        while held.count > 0 { held.run(0) }
    }

    /// Its memory is gone, and nothing of it has an effect any more.
    func vanish() {
        held.drop()
        // LMDB does not survive a snapshot that outlives its environment, so the loop goes first, with all that it reads.
        weak let loop = running
        running = nil
        precondition(loop == nil, "something keeps a loop whose process has vanished")
        modelFolders.vanish()
        store.models.close()
        store.log.close()
        store.directory.close()
    }
}

/// The ordering service of the node that a process is.
protocol NodeEtcd: AnyObject {
    /// The data directory of the node.
    var path: String { get }
    /// The role of the data directory.
    var role: OpenStore.Role { get }
    /// The ordering service as the running process has it.
    var etcd: DrivenEtcd? { get }
    var isOneOfSeveral: Bool { get }
    /// Makes the node of a process.
    func node(history: [UInt8]) -> ClusterNode
    /// A tenth of a second goes by.
    func ticked()
}

/// Commits beside the loop whose ends the simulation says.
protocol SimulatedCommits: CommitRunner {
    var isRunning: Bool { get }
    var isInDoubt: Bool { get }
    func end()
    func endInDoubt(isDone: Bool)
}

extension HeldCommits: SimulatedCommits {}
