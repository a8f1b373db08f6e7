import StoryCluster
import StoryCore
import StoryLog
import StoryStorage

/// The log that a node's settings name, in etcd: made once by `--create`, and looked up by a node that has no log.
struct OrderedLog {
    /// Etcd, and the name of the log.
    let settings: ClusterSettings
    /// How many seconds each of the methods tries.
    let patience: Int
    let clock: Clock
    let trace: Trace

    private var keys: LogKeys { LogKeys(log: settings.log) }
    private var name: String { "the log \(settings.log) in etcd at \(settings.urls)" }

    /// Returns the history of the log, for a directory that is not its node's yet.
    ///
    /// - Parameter head: the last event of that directory.
    /// - Throws: `.failed` where there is no such log, or it was made in another etcd; where the node of the settings has
    ///   stored events that the directory lacks; where etcd does not answer.
    func history(for head: Position) throws(StorageError) -> StoredIdentity {
        var found: StoredIdentity?
        let operations = [keys.identity, keys.node(settings.node)].map {
            OrderingTransaction.Operation.get(OrderingRange(from: $0))
        }
        let reading = OrderingCall.transaction(OrderingTransaction(conditions: [], then: operations))
        try EtcdConversation.run(about: self, first: reading) { (answer, _) throws(StorageError) in
            guard case .transacted(_, let results, let header) = answer, results.count == 2,
                case .ranged(let identity) = results[0], case .ranged(let node) = results[1]
            else { throw OrderedLog.unexpected }
            guard let pair = identity.keys.first else {
                throw .failed(
                    "there is no log \(settings.log) in etcd at \(settings.urls):"
                        + " make it out of the data directory that it begins with, by stored --create with that --data,"
                        + " --cluster and --log")
            }
            let record = try OrderedLog.read(pair)
            guard record.cluster == header.cluster else {
                throw .failed("\(name) was made in another etcd cluster, which this one is a copy of")
            }
            if let stored = node.keys.first.map({ StoryCluster.Member($0).stored }), stored > head {
                throw .failed("\(ClusterError.holdsLess(node: settings.node, stored: stored, here: head))")
            }
            found = record.identity
            return nil
        }
        guard let found else { throw OrderedLog.unexpected }
        trace.say("joined", ["cluster": settings.log, "log": "\(LogID(binary: found.id))"])
        return found
    }

    /// Makes the log in etcd, where it is not there.
    ///
    /// - Parameters:
    ///   - identity: the history that it goes on with.
    ///   - position: the last position of the history so far.
    ///   - checksum: the checksum of the record at that position; 0 where there is none.
    /// - Throws: `.failed` where the log is there already, or keys of an earlier one; where etcd does not answer.
    func create(_ identity: StoredIdentity, at position: Position, checksum: UInt64) throws(StorageError) {
        var value: [UInt8]?
        try EtcdConversation.run(about: self, first: looking) { (answer, isFirstTry) throws(StorageError) in
            guard case .transacted(let succeeded, let results, let header) = answer else {
                throw OrderedLog.unexpected
            }
            guard let put = value else {
                try checkIsFree(results)
                let record = LogRecord(
                    identity: identity, position: position, checksum: checksum, cluster: header.cluster)
                value = record.value
                return putting(record.value)
            }
            if succeeded { return nil }
            guard case .ranged(let found)? = results.first, let pair = found.keys.first else {
                throw OrderedLog.unexpected
            }
            // An earlier try whose answer was lost may have made it.
            guard !isFirstTry, pair.value == put else { throw isThere(pair) }
            return nil
        }
    }

    /// Reads whether there is such a log, or something of one.
    private var looking: OrderingCall {
        var live = keys.live
        (live.limit, live.isKeysOnly) = (1, true)
        return .transaction(
            OrderingTransaction(conditions: [], then: [.get(OrderingRange(from: keys.identity)), .get(live)]))
    }

    private func putting(_ value: [UInt8]) -> OrderingCall {
        .transaction(
            OrderingTransaction(
                conditions: [.created(keys.identity, at: 0)], then: [.put(keys.identity, value, lease: 0)],
                otherwise: [.get(OrderingRange(from: keys.identity))]))
    }

    private func checkIsFree(_ results: [OrderingResult]) throws(StorageError) {
        guard results.count == 2, case .ranged(let identity) = results[0], case .ranged(let live) = results[1] else {
            throw OrderedLog.unexpected
        }
        if let pair = identity.keys.first { throw isThere(pair) }
        guard let key = live.keys.first?.key else { return }
        throw .failed(
            "there is no log \(settings.log) in etcd, but something of one, as \(key): delete the keys below "
                + "/storykeep/\(settings.log)/, or choose another name with --log")
    }

    private func isThere(_ pair: OrderingKeyValue) -> StorageError {
        let history = (try? OrderedLog.read(pair)).map { " with the history \(LogID(binary: $0.identity.id))" } ?? ""
        return .failed(
            "\(name) is there already\(history): start this node without --create, or choose another name with --log")
    }

    private static func read(_ pair: OrderingKeyValue) throws(StorageError) -> LogRecord {
        do throws(ClusterError) { return try LogRecord(pair.value) } catch { throw .failed("\(error)") }
    }

    private static let unexpected = StorageError.failed("etcd answers something else than it was asked")
}

extension OrderedLog {
    /// Makes the log that the settings name out of the data directory, before any node serves it.
    ///
    /// A directory without a log gets a new one, so that a node can begin with it.
    ///
    /// - Parameter configuration: the settings, with a cluster.
    /// - Returns: a line for a person, without its line feed.
    /// - Throws: why it cannot be made; nothing is left of a directory that was made for it.
    static func make(
        _ configuration: ServerConfiguration, clock: Clock, trace: Trace
    ) throws(StorageError) -> String {
        guard let settings = configuration.cluster else { throw .failed("--create wants --cluster") }
        let directory = try DataDirectory(configuration.data, for: .serving)
        let made: String
        do throws(StorageError) {
            let log = try LMDBEventLog(in: directory, now: clock.now(), journalSize: configuration.journal)
            defer { log.close() }
            try OrderedLog(settings: settings, patience: configuration.patience, clock: clock, trace: trace).create(
                log.storedIdentity, at: log.head, checksum: try EntryRecords(log: log).checksum(at: log.head))
            made = "created log=\(settings.log) history=\(log.identity.id) position=\(log.head.value)"
        } catch {
            directory.discardNew()
            throw error
        }
        directory.close()
        return made
    }
}
