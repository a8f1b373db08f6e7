import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStorage

/// The source of all figures at one moment, each under one name.
struct FigureSource {
    let log: any EventLog
    /// The last durable event.
    let position: Position
    let models: any ServedModels
    let engine: Engine
    let foldTimer: FoldTimer
    let checkpoints: Checkpoints
    let figures: Figures
    let memory: ClientMemory
    let publishing: PushScheduler
    /// The path of the data directory.
    let data: String
    /// The size of the journal, in bytes.
    let journal: Int
    let durability: Durability
    /// The part that the store has among others; nil for a store of its own.
    let cluster: ClusterState?
    /// The conditions of the daemon.
    let conditions: Set<StoreCondition>
    /// The sums over all connections.
    let sums: ConnectionSums
    let process = ProcessFigures()

    /// The number of events of the log that a replica or a node lacks; nil while that is not known, 0 for any other store.
    var clusterLag: Double? {
        guard let cluster else { return 0 }
        return cluster.lag(behind: position).map { Double($0) }
    }

    /// The number of misfits of each declared model that can be read.
    var misfits: [(name: String, count: UInt64)] {
        engine.catalogue.kinds.filter { $0.program != nil }.compactMap { kind in
            misfits(of: kind.name).map { (kind.name, $0) }
        }
    }

    /// Returns the number of misfits of a declared model; nil if it cannot be read.
    private func misfits(of name: String) -> UInt64? {
        do throws(StorageError) { return try engine.declared?.state(of: name).misfits } catch { return nil }
    }

    /// The events that the slowest cursor has to do, and the number of parked events; 0 if the models cannot be read.
    var cursors: (lag: UInt64, parked: UInt64) {
        do throws(StorageError) { return try engine.workers.sums() } catch { return (0, 0) }
    }

    // MARK: Sizes

    /// The number of durable rows of each kind, without the kinds whose number is on a damaged page of the models, and
    /// without declared models while a commit is under way whose changes of them were not noted.
    var rows: [(name: String, count: UInt64)] {
        let (feed, growth) = (engine.feed, engine.feed.growth(after: position))
        return engine.catalogue.kinds.filter { $0.program == nil || !feed.isUntold }.compactMap { kind in
            rowCount(kind).map { (kind.name, UInt64(clamping: Int64(clamping: $0) - (growth[kind.number] ?? 0))) }
        }
    }

    /// Returns the number of rows, durable or not; nil if the models cannot be read.
    private func rowCount(_ kind: KindSchema) -> UInt64? {
        guard case .tally(let key, _) = QueryPlan(kind, []).count else { return 0 }
        let tables = kind.program == nil ? models : engine.declared?.store(of: kind.name)
        guard let tables else { return nil }
        do throws(StorageError) { return try RowLookup(tables).tally(kind, at: key) } catch { return nil }
    }

    var logBytes: UInt64 { UInt64(clamping: log.bytes) }
    var journalBytes: UInt64 { UInt64(clamping: journal) }
    var modelBytes: UInt64 { UInt64(clamping: models.storedBytes) }
    var bufferedBytes: UInt64 { UInt64(clamping: models.bufferedBytes) }
    /// The bytes that are kept for clients.
    var waitingBytes: UInt64 { UInt64(clamping: memory.used) }

    /// The bytes that the daemon's user may still write on the file system of the data; 0 where that is unknown.
    var freeBytes: UInt64 { DiskSpace.free(at: data) ?? 0 }

    // MARK: Folds

    /// The number and the durations of the folds for each kind of event; `own`: the users' own events.
    var folds: [(name: String, count: UInt64, durations: Histogram)] {
        let kinds: [KindSchema?] = engine.catalogue.kinds + [nil]
        return kinds.compactMap { schema in
            figures.foldDurations(of: schema?.kind).map {
                (schema?.name ?? "own", foldTimer.count(of: schema?.kind), $0)
            }
        }
    }
}

/// The sums over all connections, computed a few connections per step, so that they delay no requests.
struct ConnectionSums {
    private var byRole: [Role: UInt64] = [:]
    private(set) var connections: UInt64 = 0
    /// The subscriptions to events, and those to rows and lists.
    private(set) var eventSubscriptions: UInt64 = 0
    private(set) var rowSubscriptions: UInt64 = 0
    /// The number of events that the slowest subscription is behind.
    private(set) var lag: UInt64 = 0

    func count(of role: Role) -> UInt64 { byRole[role] ?? 0 }

    /// Adds a connection.
    ///
    /// - Parameter published: the last event that was pushed to followers.
    mutating func add(_ connection: Connection, published: Position) {
        connections += 1
        byRole[connection.peer.role, default: 0] += 1
        guard let session = connection.conversation?.session else { return }
        rowSubscriptions += UInt64(session.rowSubscriptionCount)
        eventSubscriptions += UInt64(session.subscriptionCount - session.rowSubscriptionCount)
        lag = max(lag, session.lag(head: published, published: published))
    }
}
