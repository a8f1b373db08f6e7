package import StoryCore
package import StoryLog
import StoryFold
package import StoryStore
package import StoryStorage

/// The open store of one data directory.
package struct OpenStore {
    /// The locked data directory.
    package let directory: DataDirectory
    /// The event log.
    package let log: LMDBEventLog
    /// The read models.
    package let models: LMDBModelStore

    /// The owner of the history.
    package enum Role {
        case store
        /// Another store, whose history a new directory takes.
        case replica(history: () throws(StorageError) -> StoredIdentity)
        /// A log that several nodes have, whose history a new directory takes, which ends at a position.
        case node(log: String, node: String, history: (_ head: Position) throws(StorageError) -> StoredIdentity)

        /// The kind of the directory.
        fileprivate var kind: DirectoryKind {
            switch self {
            case .store: .store
            case .replica: .replica
            case .node(let log, let node, _): .node(log: log, node: node)
            }
        }

        /// Returns the history that is not this store's own; nil where it is.
        ///
        /// - Parameter head: the last event of the directory.
        fileprivate func origin(for head: Position) throws(StorageError) -> StoredIdentity? {
            switch self {
            case .store: nil
            case .replica(let history): try history()
            case .node(_, _, let history): try history(head)
            }
        }
    }

    /// The stores of the declared models.
    package var modelFolders: any ModelFolders {
        StoredModelFolders(directory, ModelOwner(identity: log.storedIdentity, head: log.head))
    }

    /// Opens the data directory and folds the events that the models lack.
    ///
    /// - Parameters:
    ///   - journal: the size of the log's journal in bytes; a journal of another size is replaced.
    ///   - role: whether the store is of its own, a replica or a node.
    ///   - background: the starter of the threads for flushes.
    ///   - whenFlushed: called, usually on another thread, when a flush has ended.
    /// - Throws: why the store cannot be served.
    package init(
        _ path: String, journal: Int = ServerConfiguration.usualJournal, clock: Clock, trace: Trace,
        as role: Role = .store,
        background: BackgroundStarter = .niceThreads, whenFlushed: @escaping @Sendable () -> Void = {}
    ) throws(StorageError) {
        // Asked for first, so that a start without its source makes no directory.
        let origin = Folder.exists(path + "/log") ? nil : try role.origin(for: .zero)
        directory = try DataDirectory(path, for: .serving, role.kind)
        do throws(StorageError) {
            log = try LMDBEventLog(
                in: directory, now: clock.now(), journalSize: journal, origin: origin, background: background,
                whenFlushed: whenFlushed)
            try OpenStore.joinLog(directory, log: log, as: role)
            if let parent = log.copiedFrom {
                trace.say("copied", ["of": "\(parent)", "log": "\(log.identity.id)", "position": "\(log.head.value)"])
            }
            if log.wasSurrendered {
                trace.say("journal-found", ["removed": "\(directory.journalPath).lost", "then": "nothing is given up"])
            }
            if let refusal = log.refusal { trace.say("unnamed", ["reason": "\(refusal)"]) }
            models = try OpenStore.openModels(directory, log, clock, trace)
            // The files were opened by path, so they are checked to be those of the locked directory.
            try holdRight()
        } catch {
            directory.discardNew()
            throw error
        }
    }

    /// Checks that this process still holds the data directory, and that its open files are still the ones at their
    /// paths.
    ///
    /// - Throws: `.held` or `.failed` where another process may serve the directory.
    package func holdRight() throws(StorageError) {
        try directory.renew()
        try log.checkNames()
        try models.checkNames()
    }

    /// Closes a store that was never served, and removes it where this start made it.
    package func abandon() {
        models.close()
        log.close()
        directory.discardNew()
    }

    /// Closes the store; no work may be running in the background.
    package func close() {
        models.close()
        log.close()
        directory.close()
    }

    /// Makes a store of its own the node that it is served as, where its history is that of the log.
    ///
    /// - Throws: `.failed` where it has another history.
    private static func joinLog(
        _ directory: DataDirectory, log: LMDBEventLog, as role: Role
    ) throws(StorageError) {
        guard directory.isUnsharedStore, let identity = try role.origin(for: log.head) else { return }
        guard identity.id == log.storeID else {
            throw .failed(
                "\(directory.path) has the history \(log.identity.id), and the log in etcd has \(identity.named.id): "
                    + "name a new directory, or another log with --log")
        }
        try directory.becomeNode()
    }

    /// Opens the models and folds the events that they lack. Damage that only this fold found has them folded again.
    private static func openModels(
        _ directory: DataDirectory, _ log: LMDBEventLog, _ clock: Clock, _ trace: Trace
    ) throws(StorageError) -> LMDBModelStore {
        var isSecond = false
        while true {
            let models = try LMDBModelStore(
                in: directory, storeID: log.storeID, ancestors: log.storedIdentity.ancestors, head: log.head,
                version: ModelVersion.current, tables: Catalogue.standard.tables)
            if let renewal = models.renewal { trace.say("folding-anew", ["reason": renewal]) }
            do throws(StorageError) {
                try recover(log, models, clock, trace)
                return models
            } catch {
                guard !isSecond, models.damage != nil else { throw error }
                isSecond = true
                models.close()
            }
        }
    }

    private static func recover(
        _ log: any EventLog, _ models: LMDBModelStore, _ clock: Clock, _ trace: Trace
    ) throws(StorageError) {
        let missing = log.head.value - min(models.checkpointed.value, log.head.value)
        let began = clock.steady()
        var said = began
        try Recovery.fold(log, into: models, by: CataloguePlan(.standard)) { position, head in
            guard clock.steady() - said > 1_000_000_000 else { return }
            said = clock.steady()
            trace.say("folding", ["position": "\(position.value)", "of": "\(head.value)"])
        }
        // The engine begins with this read: damage that it meets has the models folded again as well.
        _ = try StreamIndex(models).lastNumber()
        guard missing > 0 else { return }
        let milliseconds = (clock.steady() - began) / 1_000_000
        trace.say("recovered", ["events": "\(missing)", "ms": "\(milliseconds)"])
    }
}
