import Glibc
import StoryAnswers
package import StoryCore
package import StoryEngine
package import StoryLog
package import StoryModels
package import StoryReactor
package import StoryStorage
package import StoryWire

/// Everything that is fixed when the server starts, behind ports: the same over a disk and sockets, and over memory.
package struct ServerDependency {
    package let configuration: ServerConfiguration
    package let clock: Clock
    package let trace: Trace
    package let log: any EventLog
    package let models: any ServedModels
    package let logWork: LogWork
    package let commits: any CommitRunner
    /// Where checkpoints and long work go.
    package let background: BackgroundStarter
    package let reader: RequestReader
    package let engine: Engine
    package let figures: Figures
    let slow: SlowRequests
    let foldTimer: FoldTimer
    package let transport: any Transport
    package let manager: ServiceManager
    /// Makes the loop call `woken`, from any thread.
    package let wake: @Sendable () -> Void
    /// Gives memory that was freed back to the system.
    let returnFreedPages: () -> Void
    /// Holds the right to serve the data directory still; throws where it is lost.
    let holdRight: () throws(StorageError) -> Void
    /// Who runs the daemon, and so may do everything.
    package let uid: UInt32
    /// The failures that an acknowledged event survives.
    package let durability: Durability

    /// The models must be folded up to the log's head.
    ///
    /// - Throws: what reading the models failed with.
    package init(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace, log: any EventLog,
        models: any ServedModels, logWork: LogWork, commits: any CommitRunner, transport: any Transport,
        background: BackgroundStarter = .niceThreads, manager: ServiceManager = .absent,
        wake: @escaping @Sendable () -> Void, returnFreedPages: @escaping () -> Void = {},
        holdRight: @escaping () throws(StorageError) -> Void = {}, uid: UInt32,
        durability: Durability = .fsync
    ) throws(StorageError) {
        self.manager = manager
        self.configuration = configuration
        self.clock = clock
        self.trace = trace
        self.log = log
        self.models = models
        self.logWork = logWork
        self.commits = commits
        self.background = background
        self.transport = transport
        self.wake = wake
        self.returnFreedPages = returnFreedPages
        self.holdRight = holdRight
        self.uid = uid
        self.durability = durability
        let figures = Figures(started: clock.now(), steady: clock.steady)
        let limits = configuration.limits
        foldTimer = FoldTimer(.standard, clock: clock.steady) { figures.folded($0, nanoseconds: $1) }
        engine = try Engine(
            CataloguePlan(.standard), store: models, json: JSONObjectReader(),
            log: LogReader(log: log), identity: log.identity, limits: limits,
            server: ProgramVersion.daemon, durability: durability, foldTimer: foldTimer)
        reader = RequestReader(lineLimit: limits.line)
        self.figures = figures
        slow = SlowRequests(
            limit: UInt64(configuration.slowMilliseconds) * 1_000_000, clock: clock.steady, figures, trace)
    }
}

/// The store of one data directory, open to be served.
package struct OpenStore {
    package let directory: DataDirectory
    package let log: LMDBEventLog
    package let models: LMDBModelStore

    /// Opens the data directory and brings the models up to the log.
    ///
    /// - Parameters:
    ///   - journal: the bytes of the log's journal; one of another size is replaced.
    ///   - background: where the log's flushes go.
    /// - Throws: Why the store cannot be served.
    package init(
        _ path: String, journal: Int = ServerConfiguration.usualJournal, clock: Clock, trace: Trace,
        background: BackgroundStarter = .niceThreads
    ) throws(StorageError) {
        directory = try DataDirectory(path, for: .serving)
        do throws(StorageError) {
            log = try LMDBEventLog(
                in: directory, now: clock.now(), journalSize: journal, background: background
            ) { position, head in
                trace.say("converting", ["position": "\(position.value)", "of": "\(head.value)"])
            }
            if let parent = log.copiedFrom {
                trace.say("copied", ["of": "\(parent)", "log": "\(log.identity.id)", "position": "\(log.head.value)"])
            }
            if log.wasSurrendered {
                trace.say("journal-found", ["removed": "\(directory.journalPath).lost", "then": "nothing is given up"])
            }
            if let refusal = log.refusal { trace.say("unnamed", ["reason": "\(refusal)"]) }
            models = try LMDBModelStore(
                in: directory, storeID: log.storeID, ancestors: log.storedIdentity.ancestors, head: log.head,
                version: ModelVersion.current)
            if let renewal = models.renewal { trace.say("folding-anew", ["reason": renewal]) }
            try OpenStore.recover(log, models, clock, trace)
            // Files that were opened by their paths are in the directory that is locked.
            try holdRight()
        } catch {
            directory.discardNew()
            throw error
        }
    }

    /// Holds the right to serve the directory still: its files are those that are open, wherever they have their names.
    ///
    /// - Throws: `.held` or `.failed` where somebody else may serve it.
    package func holdRight() throws(StorageError) {
        try directory.renew()
        try log.checkNames()
        try models.checkNames()
    }

    /// Closes a store that never was served; one that was made for it is removed.
    package func abandon() {
        models.close()
        log.close()
        directory.discardNew()
    }

    /// Nothing may be under way beside the loop.
    package func close() {
        models.close()
        log.close()
        directory.close()
    }

    private static func recover(
        _ log: any EventLog, _ models: LMDBModelStore, _ clock: Clock, _ trace: Trace
    ) throws(StorageError) {
        let missing = log.head.value - min(models.checkpointed.value, log.head.value)
        let began = clock.steady()
        var said = began
        try Recovery.fold(log, into: models) { position, head in
            guard clock.steady() - said > 1_000_000_000 else { return }
            said = clock.steady()
            trace.say("folding", ["position": "\(position.value)", "of": "\(head.value)"])
        }
        guard missing > 0 else { return }
        let milliseconds = (clock.steady() - began) / 1_000_000
        trace.say("recovered", ["events": "\(missing)", "ms": "\(milliseconds)"])
    }
}

/// A server over a data directory and a socket: the one composition root of the daemon.
package struct Composition {
    package let store: OpenStore
    package let reactor: Reactor
    package let server: Server
    private let commits: CommitThread

    /// Opens the data directory and builds the graph; nothing listens yet.
    ///
    /// - Throws: Why the daemon cannot start.
    package init(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace, manager: ServiceManager
    ) throws(StartError) {
        do throws(StorageError) {
            // First, since it leaves nothing behind where the rest cannot be had.
            reactor = try Composition.makeReactor()
            store = try OpenStore(
                configuration.data, journal: configuration.journal, clock: clock, trace: trace)
        } catch {
            throw StartError(error)
        }
        var configuration = configuration
        // Others are told where it is, whatever directory they are in.
        do throws(StorageError) {
            configuration.data = try Folder.resolved(configuration.data) ?? configuration.data
        } catch {
            store.abandon()
            throw StartError(error)
        }
        let waker = reactor.waker
        let wake: @Sendable () -> Void = { waker.wake() }
        store.log.whenFlushed = wake
        commits = CommitThread(clock: clock.steady, whenDone: wake)
        do throws(StorageError) {
            server = Server(
                dependency: try ServerDependency(
                    configuration, clock: clock, trace: trace, log: store.log, models: store.models,
                    logWork: LogWork(store.log, store.models), commits: commits, transport: reactor, manager: manager,
                    wake: wake, returnFreedPages: Allocator.returnFreedPages,
                    holdRight: store.holdRight, uid: geteuid(),
                    durability: store.directory.fileSystem == .memory ? .memory : .fsync))
        } catch {
            commits.end()
            store.abandon()
            throw StartError(error)
        }
    }

    /// Ends what goes on beside the loop and closes the store; nothing failed for good.
    package func close() {
        server.end()
        commits.end()
        store.close()
    }

    /// Closes the store without having served it; one that was made for it is removed.
    package func abandon() {
        server.end()
        commits.end()
        store.abandon()
    }

    private static func makeReactor() throws(StorageError) -> Reactor {
        do throws(ReactorError) { return try Reactor() } catch { throw StorageError.failed("\(error)") }
    }
}

/// Why the daemon cannot start: one sentence for a person, and the exit code of SPEC §4.
package struct StartError: Error, Equatable, Sendable {
    package let message: String
    package let exitCode: Int32

    package init(message: String, exitCode: Int32) {
        self.message = message
        self.exitCode = exitCode
    }

    package init(_ error: StorageError) {
        switch error {
        case .corrupt: self.init(message: "the store is damaged: \(error)", exitCode: 5)
        case .full(let reason): self.init(message: reason, exitCode: 3)
        case .failed(let reason), .held(let reason): self.init(message: reason, exitCode: 2)
        }
    }
}
