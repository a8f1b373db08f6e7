import Glibc
import StoryCore
import StoryEngine
import StoryFold
import StoryLog
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
    /// The searches for words; nil where there are none.
    let finding: Finding?
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

/// The kernel's figures of this process; nil where it does not tell them, since `/proc` is not mounted.
struct ProcessFigures {
    /// The resident bytes that are not mapped from files.
    let anonymousBytes: UInt64?
    /// The resident bytes, maps of files included.
    let residentBytes: UInt64?

    init() {
        let status = ProcessFigures.status()
        anonymousBytes = ProcessFigures.kilobytes("RssAnon:", in: status).map { $0 * 1_024 }
        residentBytes = ProcessFigures.kilobytes("VmRSS:", in: status).map { $0 * 1_024 }
    }

    /// The processor time of all threads in seconds, user and system time together.
    var processorSeconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    var mostDescriptors: UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return UInt64(limit.rlim_cur)
    }

    /// The number of open descriptors: the size of the directory on newer kernels, else the count of its entries.
    var openDescriptors: UInt64? {
        var folder = stat()
        if stat("/proc/self/fd", &folder) == 0, folder.st_size > 0 { return UInt64(folder.st_size) }
        guard let entries = opendir("/proc/self/fd") else { return nil }
        defer { closedir(entries) }
        var count: UInt64 = 0
        while readdir(entries) != nil { count += 1 }
        // The entries `.`, `..`, and the descriptor that the directory is read through.
        return count > 3 ? count - 3 : 0
    }

    private static func status() -> [UInt8] {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return [UInt8](unsafeUninitializedCapacity: 8_192) { memory, count in
            count = max(0, read(file, memory.baseAddress, 8_192))
        }
    }

    /// Returns the number of a line `NAME   N kB`; nil where there is no such line.
    private static func kilobytes(_ name: StaticString, in status: [UInt8]) -> UInt64? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        for line in status.split(separator: 0x0A) where line.starts(with: name) {
            return line.reduce(0) { 0x30...0x39 ~= $1 ? $0 * 10 + UInt64($1 - 0x30) : $0 }
        }
        return nil
    }
}
