import StoryEngine

/// The requests of the loop, composed of its other parts.
extension ServerDependency {
    func requests(
        _ driver: CommitDriver, _ connections: Connections, _ outbox: Outbox,
        _ memory: ClientMemory, _ publishing: PushScheduler, _ checkpoints: Checkpoints,
        _ checkpointRequests: CheckpointRequests, _ checks: DefinitionChecks, _ jobs: Jobs, _ seals: SealQueue
    ) -> Requests {
        let store = FigureSource.Store(
            log: log, models: models, foldTimer: foldTimer,
            engine: engine, data: configuration.data, journal: configuration.journal,
            durability: durability)
        return Requests(
            engine: engine, reader: reader, encoder: encoder, clock: clock,
            figures: figures,
            slow: slow, trace: trace, transport: transport,
            access: configuration.access, owner: uid, limits: configuration.limits, driver: driver,
            connections: connections, outbox: outbox, memory: memory, publishing: publishing,
            checkpointRequests: checkpointRequests, checks: checks, jobs: jobs,
            seals: seals, waits: PositionWaits(patience: configuration.patience),
            figureAnswers: FigureAnswers(
                store: store, figures: figures, driver: driver, connections: connections, outbox: outbox,
                memory: memory, publishing: publishing, checkpoints: checkpoints))
    }
}
