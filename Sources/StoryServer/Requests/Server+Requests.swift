import StoryEngine

/// The requests of the loop, composed of its other parts.
extension Server {
    static func requests(
        _ dependency: ServerDependency, _ driver: CommitDriver, _ connections: Connections, _ outbox: Outbox,
        _ memory: ClientMemory, _ publishing: PushScheduler, _ checkpoints: Checkpoints,
        _ checkpointRequests: CheckpointRequests, _ checks: DefinitionChecks, _ jobs: Jobs, _ seals: SealQueue
    ) -> Requests {
        let configuration = dependency.configuration
        let store = FigureSource.Store(
            log: dependency.log, models: dependency.models, foldTimer: dependency.foldTimer,
            engine: dependency.engine, data: configuration.data, journal: configuration.journal,
            durability: dependency.durability)
        return Requests(
            engine: dependency.engine, reader: dependency.reader, encoder: dependency.encoder, clock: dependency.clock,
            figures: dependency.figures,
            slow: dependency.slow, trace: dependency.trace, transport: dependency.transport,
            access: configuration.access, owner: dependency.uid, limits: configuration.limits, driver: driver,
            connections: connections, outbox: outbox, memory: memory, publishing: publishing,
            checkpointRequests: checkpointRequests, checks: checks, jobs: jobs,
            seals: seals, waits: PositionWaits(patience: configuration.patience),
            figureAnswers: FigureAnswers(
                store: store, figures: dependency.figures, driver: driver, connections: connections, outbox: outbox,
                memory: memory, publishing: publishing, checkpoints: checkpoints))
    }
}
