import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryReactor
import StoryWire

/// The work that requests ask for and the engine does not do itself.
final class RequestedWork {
    let checkpoints: CheckpointRequests
    let checks: DefinitionChecks
    let jobs: Jobs
    /// Nil for a log in memory.
    private let erasures: ErasureWaits?
    /// Nil for a log in memory.
    let finding: Finding?
    let seals: SealQueue
    let clientRequests: ClientRequests
    private let clients: Clients
    private let reader: RequestReader
    /// The requests about the nodes of a log; nil where this store is none of them.
    private let nodes: NodeRequests?
    /// Makes the source of the figures at one moment.
    private let figureSource: (ConnectionSums) -> FigureSource

    init(
        checkpoints: CheckpointRequests, checks: DefinitionChecks, jobs: Jobs, erasures: ErasureWaits?,
        finding: Finding?, seals: SealQueue, clients: Clients, reader: RequestReader, nodes: NodeRequests?,
        figureSource: @escaping (ConnectionSums) -> FigureSource
    ) {
        (self.checkpoints, self.checks, self.jobs, self.erasures) = (checkpoints, checks, jobs, erasures)
        (self.finding, self.seals) = (finding, seals)
        (self.clients, self.reader, self.nodes, self.figureSource) = (clients, reader, nodes, figureSource)
        clientRequests = ClientRequests(clients)
    }

    /// Does short work at once; for the rest, starts it and lets the connection wait.
    ///
    /// - Returns: the work that it took.
    func start(_ action: OperateAction, at position: Position?, _ tag: Tag?, _ connection: Connection) -> Work {
        switch action {
        case .checkpoint:
            connection.requestMustWait(for: .job, tag)
            checkpoints.wait(for: clients.driver.acknowledged, tag, connection)
        case .check(let request):
            connection.requestMustWait(for: .job, tag)
            checks.begin(request, at: clients.driver.acknowledged, tag, connection)
        case .rehearse: break
        case .erasure(let erased):
            connection.requestMustWait(for: .job, tag)
            erasures?.wait(for: erased, tag, connection)
        case .search(let search): find(.events(search), tag, for: connection)
        case .searchRows(let search): find(.rows(search), tag, for: connection)
        case .verify:
            connection.requestMustWait(for: .job, tag)
            jobs.verify(sealAt: position, tag, connection)
        case .seal:
            let position = position ?? clients.driver.acknowledged
            connection.requestMustWait(for: .job, tag)
            seals.add(position) { [clients] result in
                let reply = Reply(result, at: position, clients.engine.identity, clients.trace)
                clients.answer(JobAnswer(connection: connection, tag: tag, reply: reply))
            }
        case .backup(let path):
            guard let failure = jobs.backUp(to: String(decoding: path, as: UTF8.self), tag, connection) else {
                connection.requestMustWait(for: .job, tag)
                break
            }
            clients.output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
        case .stats: return clients.tell(survey(.report), tag, connection)
        case .metrics: return clients.tell(survey(.metrics), tag, connection)
        case .clients(let request): return clientRequests.answer(request, tag: tag, to: connection)
        case .cluster(let change): return answer(change, tag, connection)
        case .help(let topic):
            let output = clients.output(connection)
            for line in Help.answer(topic, from: reader.table) { output.reply(line, tag: tag, restsOn: .zero) }
            return .report
        }
        return .zero
    }

    private func find(_ search: Finding.Search, _ tag: Tag?, for connection: Connection) {
        let refusal = finding.map { $0.ask(search, at: clients.driver.tick, tag, for: connection) } ?? .noFind
        guard let refusal else { return connection.requestMustWait(for: .job, tag) }
        clients.output(connection).reply(.failed(refusal), tag: tag, restsOn: .zero)
    }

    /// Replies to the requests whose work has ended.
    func mayHaveEnded() {
        for answer in checkpoints.answers() + jobs.answers() { clients.answer(answer) }
        seals.advance()
        searchesMayHaveEnded()
    }

    /// Replies to the searches that have ended, and to those whose patience is over.
    func searchesMayHaveEnded() {
        for ended in finding?.ended(clients.engine, at: clients.driver.tick) ?? [] { clients.answer(ended) }
    }

    /// Begins the work that is due at the end of a turn.
    func advance() {
        for answer in checkpoints.answers() { clients.answer(answer) }
        for ended in checks.advance() { clients.answer(ended) }
        finding?.advance(stored: clients.driver.turn.stored, at: clients.driver.tick)
    }

    /// Ends the work in progress, since it reads files that are about to be closed.
    func end() {
        jobs.end()
        seals.end()
        checks.end()
        finding?.end()
    }

    private func survey(_ contents: Survey.Purpose) -> Survey {
        Survey(contents, clients.connections, clients.publishing, figureSource)
    }

    /// Answers a request about the nodes of a log, or begins the change that it asks for.
    private func answer(_ change: NodeChange?, _ tag: Tag?, _ connection: Connection) -> Work {
        let output = clients.output(connection)
        guard let nodes else {
            output.reply(.failed(.noCluster(clients.part)), tag: tag, restsOn: .zero)
            return .zero
        }
        if let change {
            connection.requestMustWait(for: .job, tag)
            nodes.begin(change, tag: tag, for: connection)
            return .zero
        }
        for reply in nodes.report { output.reply(reply, tag: tag, restsOn: .zero) }
        return .report
    }

    /// Replies to the request for a change of the nodes, which has ended.
    func changeEnded(_ id: UInt64, _ end: NodeChangeEnd) {
        if let answer = nodes?.ended(id, end) { clients.answer(answer) }
    }
}
