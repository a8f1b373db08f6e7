import StoryCluster
import StoryCore
import TestSupport

/// A node of the simulation: a replica, its log, and the entry that it writes.
final class SimulatedNode {
    let name: String
    var replica: Replica?
    var log = ModelLog()
    /// The number of starts: answers to an earlier one are dropped.
    var run = 0
    /// The number of disks that it has lost.
    private var disks = 0
    /// The values of the entry under way, and the head before it; nil while none is.
    var writing: (before: Int, values: [UInt64])?
    var watches: [WatchID: (range: OrderingRange, next: Int64)] = [:]
    var pausedUntil: UInt64 = 0
    var cutUntil: UInt64 = 0
    var stopped: ClusterError?
    /// True once the process was asked to end.
    var isEnding = false

    init(_ name: String) { self.name = name }

    var isRunning: Bool { replica != nil }

    func start(_ lease: Int, tail: Int) {
        run += 1
        // A start syncs what it finds.
        log.sync(to: log.head)
        var settings = ReplicaSettings(
            log: "main", node: name, address: name, version: "1", run: "\(name)-\(run)")
        settings.directory = "\(disks)"
        settings.lease = lease
        settings.patience = 4_000_000_000
        settings.tail = tail
        // The program is a later one from some start on.
        settings.formats = run > 2 ? .own : RecordFormats(oldest: 4)
        (writing, watches, stopped, isEnding) = (nil, [:], nil, false)
        replica = Replica(settings, LocalLog(history: ModelLog.history, head: Position(UInt64(log.head))))
    }

    /// The process is gone; what it had not synced survives in part.
    func crash(_ random: inout SplitMix64, losesAll: Bool) {
        replica = nil
        if let writing { log.rollBack(to: writing.before) }
        writing = nil
        let ends = log.ends.filter { $0 >= log.synced && $0 <= log.head }.sorted()
        log.crash(keeping: losesAll ? log.synced : ends.randomElement(using: &random) ?? log.synced)
    }

    func wipe() { (log, disks) = (ModelLog(), disks + 1) }
}

/// A fault of the protocol that the simulation has to find.
enum PlantedClusterBug: String, CaseIterable {
    /// A write does not compare the leader's key.
    case noLeaderCompare
    /// A call without an answer counts as refused.
    case errorReadAsNo
    /// A node reports as stored what it has not synced.
    case storedAheadOfSync
    /// A late report of an earlier run is believed.
    case lateReportBelieved
    /// Entries are trimmed by bytes alone.
    case trimByBytesAlone
    /// A superseded entry is called so though another leader trimmed past it.
    case trimmedPastCalledNone
}
