import StoryCore
import StoryEngine
import StoryFind
import StoryLog
import StoryStorage
import StoryWire

/// The parts of the loop that are made of many others.
extension ServerDependency {
    /// Makes the commits of a node; nil for a store of its own.
    func entryCommitter(_ journal: JournalCommit, _ effects: Effects) -> EntryCommitter? {
        guard node != nil else { return nil }
        return EntryCommitter(
            log, journal, clock: clock, effects: effects, configuration.limits, patience: patience)
    }

    func commitDriver(
        _ journal: JournalCommit, _ committer: any Committer, _ effects: Effects, _ connections: Connections,
        _ outbox: Outbox, _ checkpoints: Checkpoints, _ flush: LogFlush, _ declared: DeclaredModels,
        _ life: Life
    ) -> CommitDriver {
        CommitDriver(
            log: log, models: models, engine: engine, fold: fold, journal: journal, committer: committer,
            effects: effects, clock: clock, transport: transport, trace: trace, figures: figures,
            connections: connections, outbox: outbox, checkpoints: checkpoints, flush: flush, declared: declared,
            life: life)
    }

    /// How long a request waits, and an answer of another store is waited for, in ticks of 0.1 s.
    private var patience: UInt64 { UInt64(clamping: configuration.patience) * Ticks.perSecond }

    private var linkPorts: LinkPorts {
        LinkPorts(
            transport: transport, certificates: configuration.certificates, patience: patience, clock: clock,
            trace: trace)
    }

    /// Makes the link of a replica, whose writes are refused from now on; nil for a store of its own.
    func follower(_ driver: CommitDriver, _ seals: SealQueue, _ effects: Effects) -> Follower? {
        guard let address = configuration.follow else { return nil }
        return Follower(of: address, linkPorts, driver: driver, seals: seals, effects: effects)
    }

    /// Makes the driver of a node, whose writes wait until it leads; nil for a store of its own.
    func clusterDriver(
        _ driver: CommitDriver, _ committer: EntryCommitter?, _ seals: SealQueue, _ effects: Effects
    ) -> ClusterDriver? {
        guard let node, let committer else { return nil }
        return ClusterDriver(
            node, linkPorts, figures: figures, driver: driver, committer: committer, seals: seals, effects: effects)
    }

    /// The parts that have the catalogue.
    func catalogueParts(_ reader: RequestReader) -> ServedCatalogue.Parts {
        ServedCatalogue.Parts(fold: fold, reader: reader, encoder: encoder, figures: figures)
    }

    /// Makes the reader of request lines, which all connections share.
    func requestReader(_ driver: CommitDriver) -> RequestReader {
        RequestReader(lineLimit: configuration.limits.line + PeerLineReader.passOnCount, table) { [engine] name in
            // The line is read again once the models can be.
            guard !driver.isHalfFolded else { return nil }
            do throws(StorageError) { return try engine.models.unready(name) } catch { return .storage(error) }
        }
    }

    func pushScheduler(_ connections: Connections, _ outbox: Outbox) -> PushScheduler {
        PushScheduler(
            log: log, models: models, engine: engine, encoder: encoder, trace: trace, figures: figures, slow: slow,
            connections: connections, outbox: outbox)
    }

    func housekeeping(
        _ driver: CommitDriver, _ connections: Connections, _ memory: ClientMemory, _ requests: Requests
    ) -> Housekeeping {
        Housekeeping(
            clock: clock, clockWatch: ClockWatch(clock, trace), trace: trace, figures: figures, slow: slow, log: log,
            manager: manager, returnFreedPages: returnFreedPages, renewCertificates: renewCertificates,
            rightCheck: holdRight, driver: driver, connections: connections, memory: memory, requests: requests,
            idle: IdleConnections(connections: connections, transport: transport, limits: configuration.limits))
    }

    func clients(
        _ driver: CommitDriver, _ connections: Connections, _ outbox: Outbox, _ publishing: PushScheduler,
        _ cluster: ClusterDriver?, _ nodes: NodeRequests?, _ source: (any PositionSource)?
    ) -> Clients {
        let output = RequestOutput(
            driver: driver, publishing: publishing, outbox: outbox, encoder: encoder, figures: figures, trace: trace,
            rows: RowRequests(clock: clock.steady, figures, slow))
        return Clients(
            engine: engine, driver: driver, outbox: outbox, connections: connections, publishing: publishing,
            figures: figures, slow: slow, trace: trace, access: configuration.access, owner: uid,
            limits: configuration.limits, nodes: nodes, source: source, forwarding: cluster?.forwarding, output: output)
    }

    func requestedWork(
        _ declared: DeclaredModels, _ checkpoints: Checkpoints, _ seals: SealQueue, _ starter: JobStarter,
        _ clients: Clients, _ memory: ClientMemory, _ nodes: NodeRequests?, _ reader: RequestReader
    ) -> RequestedWork {
        let finding = finding
        let figureSource = {
            [log, models, engine, foldTimer, figures, configuration, durability] (sums: ConnectionSums) in
            let part = clients.part
            return FigureSource(
                log: log, position: clients.driver.acknowledged, models: models, engine: engine, foldTimer: foldTimer,
                checkpoints: checkpoints, figures: figures, memory: memory, publishing: clients.publishing,
                finding: finding,
                data: configuration.data, journal: configuration.journal, durability: durability,
                cluster: part, conditions: Conditions(driver: clients.driver, part: part).now, sums: sums)
        }
        return RequestedWork(
            checkpoints: CheckpointRequests(checkpoints, declared), checks: DefinitionChecks(declared.parts, declared),
            jobs: Jobs(
                logWork, data: configuration.data, trace: trace, starter: starter, declared: { declared.scrubs },
                words: { finding?.comparison(through: $0) }),
            erasures: erasureWaits, finding: finding, seals: seals, clients: clients, reader: reader, nodes: nodes,
            figureSource: figureSource)
    }

    /// Makes the searches for words; nil where the log is in memory.
    private var finding: Finding? {
        guard let log = logWork.store?.log else { return nil }
        let home = WordFiles(folder: log.directoryPath + "/find", log: log.storeID)
        return Finding(
            log, home: home, configuration.find, starter: starter, clock: clock.steady, trace: trace, figures: figures)
    }

    /// Returns nil for a log in memory.
    func erasureTurns(
        _ work: RequestedWork, _ clients: Clients, rebuild: ModelRebuild?, cluster: ClusterDriver?,
        announces: @escaping () -> Bool
    ) -> ErasureTurns? {
        guard let log = logWork.store?.log, let erasureWaits else { return nil }
        let erasing = Erasing(log, trace: trace, figures: figures, starter: starter, clock: clock.steady)
        return ErasureTurns(
            erasing, erasureWaits, work: work, clients: clients, uid: uid, rebuild: rebuild,
            cluster: cluster, announces: announces)
    }

    func requests(
        _ reader: RequestReader, _ clients: Clients, _ memory: ClientMemory, _ work: RequestedWork,
        source: (any PositionSource)?, takesWrites: Bool
    ) -> Requests {
        Requests(
            reader: reader, clock: clock, transport: transport, limits: configuration.limits, memory: memory,
            clients: clients, work: work,
            waits: PositionWaits(patience: patience, source: source, takesWrites: takesWrites))
    }
}
