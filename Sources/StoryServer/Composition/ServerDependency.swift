package import StoryCore
package import StoryEngine
package import StoryLog
import StoryFold
import StoryReactor
package import StoryStorage
package import StoryWire

/// The server's dependencies, fixed at start-up and behind ports: they may be a disk and sockets, or memory in tests.
package struct ServerDependency {
    /// The settings.
    package let configuration: ServerConfiguration
    /// The wall clock and the steady clock.
    package let clock: Clock
    /// The daemon's trace.
    package let trace: Trace
    /// The event log.
    package let log: any EventLog
    /// The read models.
    package let models: any ServedModels
    /// The stores of declared models.
    let modelFolders: any ModelFolders
    /// The node of a cluster that this store is; nil for a store of its own.
    let node: ClusterNode?
    /// The long work on the log: `VERIFY` and `BACKUP`.
    package let logWork: LogJobs
    /// The runner of commits in the background.
    package let commits: any CommitRunner
    /// The starter of the threads for checkpoints and long work.
    package let background: BackgroundStarter
    /// The verbs, and the kinds that they take at the start.
    let table: RequestTable
    /// The starter of work beside the loop.
    let starter: JobStarter
    /// The flush of the journal into the log.
    let flush: LogFlush
    let connections = Connections()
    /// The declared models, which the engine reads and the fold writes.
    let declared: DeclaredModels
    /// The erasures of the directory; nil for a log in memory.
    let erasureWaits: ErasureWaits?
    /// The engine that handles requests.
    package let engine: Engine
    /// The fold of the log's records into the models.
    let fold: EventFold
    /// The encoder of the lines to clients.
    package let encoder: ReplyEncoder
    /// The counters for `STATS` and `METRICS`.
    package let figures: Figures
    let slow: SlowRequests
    let foldTimer: FoldTimer
    /// The sockets.
    package let transport: any Transport
    /// The service manager that started the daemon.
    package let manager: ServiceManager
    /// Makes the reactor call `woken`; may be called from any thread.
    package let wake: @Sendable () -> Void
    /// Returns freed memory to the system; on any thread.
    let returnFreedPages: @Sendable () -> Void
    /// Reads the files of certificates again where they have changed, and returns the state of the own one; called once a
    /// second.
    let renewCertificates: () -> CertificateState
    /// Checks that this process may still serve the data directory; throws where it lost the right.
    let holdRight: () throws(StorageError) -> Void
    /// The number of the user who runs the daemon, and so may do everything.
    package let uid: UInt32
    /// The kind of failure that acknowledged events survive.
    package let durability: Durability

    /// Builds the engine over the ports; the models must be folded up to the log's head.
    ///
    /// - Throws: the error of reading the models, or `.failed` where a filter of the catalogue has the name of an option.
    package init(
        _ configuration: ServerConfiguration, catalogue: Catalogue = .standard, clock: Clock, trace: Trace,
        log: any EventLog, models: any ServedModels, modelFolders: any ModelFolders, logWork: LogJobs,
        commits: any CommitRunner, node: ClusterNode? = nil, transport: any Transport,
        background: BackgroundStarter = .niceThreads, manager: ServiceManager = .absent,
        wake: @escaping @Sendable () -> Void, returnFreedPages: @escaping @Sendable () -> Void = {},
        renewCertificates: @escaping () -> CertificateState = { CertificateState() },
        holdRight: @escaping () throws(StorageError) -> Void = {}, uid: UInt32,
        durability: Durability = .fsync
    ) throws(StorageError) {
        self.manager = manager
        self.configuration = configuration
        self.clock = clock
        self.trace = trace
        self.log = log
        self.models = models
        self.modelFolders = modelFolders
        self.logWork = logWork
        self.commits = commits
        self.node = node
        self.background = background
        self.transport = transport
        self.wake = wake
        self.returnFreedPages = returnFreedPages
        self.renewCertificates = renewCertificates
        self.holdRight = holdRight
        self.uid = uid
        self.durability = node == nil ? durability : .quorum
        let figures = Figures(started: clock.now(), steady: clock.steady)
        let limits = configuration.limits
        foldTimer = FoldTimer(catalogue, clock: clock.steady) { figures.folded($0, nanoseconds: $1) }
        let plan = CataloguePlan(catalogue)
        let feed = ChangeFeed(limits)
        let starter = JobStarter(background: background, whenDone: wake)
        let flush = LogFlush(log, trace, figures)
        (self.starter, self.flush) = (starter, flush)
        declared = DeclaredModels(
            ModelParts(
                log: log, definitions: DefinitionTable(models, json: JSONObjectReader()), feed: feed, limits: limits,
                isReplica: configuration.follow != nil,
                // Weak, since an answer under way has the declared models, and its connection has the answer.
                isFollowed: { [weak connections] in connections.map { $0.rowSubscriptionCount > 0 } ?? false },
                modelFolders: modelFolders, trace: trace, stored: logWork.store?.log, starter: starter,
                returnFreedPages: returnFreedPages,
                events: { ProgramEventReader() }, clock: clock.steady,
                checkpoints: { Checkpoints($0, flush, trace, starter, figures) }))
        let erasureWaits = logWork.store.map { ErasureWaits($0.log) }
        self.erasureWaits = erasureWaits
        engine = try Engine(
            plan, store: models, json: JSONObjectReader(), log: log, matches: EventEncoder.matches,
            identity: log.identity, limits: limits, server: ProgramVersion.daemon, durability: self.durability,
            feed: feed, declared: declared, erasures: erasureWaits,
            notLeader: configuration.follow.map { .replica(of: $0) })
        let projector = ModelProjector(plan, store: models, json: JSONObjectReader(), feed: feed)
        fold = EventFold(projector, catalogue: catalogue, timer: foldTimer, declared: declared)
        table = try ServerDependency.table(catalogue)
        encoder = ReplyEncoder(rows: RowJSONEncoder(catalogue))
        self.figures = figures
        slow = SlowRequests(
            limit: UInt64(configuration.slowMilliseconds) * 1_000_000, clock: clock.steady, figures, trace
        ) { [engine] in engine.catalogue }
    }
}

extension Failure {
    /// The failure of each write at a replica of the store at an address.
    fileprivate static func replica(of address: String) -> Failure {
        Failure(.notLeader, "this store is a replica and takes no writes: send it to \(address)", .address(address))
    }
}

extension ServerDependency {
    /// Returns the table of the requests over a catalogue.
    ///
    /// - Throws: `.failed` where a filter has the name of an option.
    private static func table(_ catalogue: Catalogue) throws(StorageError) -> RequestTable {
        do throws(SchemaError) { return try RequestTable(catalogue) } catch { throw .failed(error.description) }
    }
}
