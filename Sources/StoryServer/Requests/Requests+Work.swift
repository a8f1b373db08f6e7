import StoryCluster
import StoryCore
import StoryEngine
import StoryLog
import StoryReactor
import StoryWire

/// The requests for work that the engine does not do itself.
extension Requests {
    /// Replies to a request whose background work has ended.
    func answer(_ answer: JobAnswer) {
        guard answer.connection.jobEnded() else { return }
        output(answer.connection).reply(answer.reply, tag: answer.tag, restsOn: .zero)
        slow.answerEnded(answer.connection)
        queue.add(answer.connection, hadShare: false)
    }

    /// Answers a dry run that has ended.
    func answer(_ ended: DefinitionChecks.Ended) {
        let (connection, tag) = (ended.connection, ended.tag)
        switch ended.result {
        case .failure(let failure): answer(JobAnswer(connection: connection, tag: tag, reply: .failed(failure)))
        case .success(let outcome):
            guard connection.jobEnded() else { return }
            begin(Connection.Answer(cursor: CheckAnswer(outcome), tag: tag, restsOn: .zero), connection)
            queue.add(connection, hadShare: false)
        }
    }

    /// Does short work at once; for the rest, starts it and lets the connection wait.
    func start(_ job: Job, _ tag: Tag?, _ connection: Connection) {
        switch job {
        case .checkpoint:
            connection.requestMustWait(for: .job, tag)
            work.checkpoints.wait(for: driver.acknowledged, tag, connection)
        case .check(let request):
            connection.requestMustWait(for: .job, tag)
            work.checks.begin(request, at: driver.acknowledged, tag, connection)
        case .verify(let position):
            connection.requestMustWait(for: .job, tag)
            work.jobs.verify(sealAt: position, tag, connection)
        case .seal(let position):
            connection.requestMustWait(for: .job, tag)
            work.seals.add(position) { [self] result in
                let reply = Reply(result, at: position, engine.identity, trace)
                answer(JobAnswer(connection: connection, tag: tag, reply: reply))
            }
        case .backUp(let path):
            guard let failure = work.jobs.backUp(to: path, tag, connection) else {
                return connection.requestMustWait(for: .job, tag)
            }
            output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
        case .report: tell(Survey(.report, connections, publishing, figureSource), tag, connection)
        case .metrics: tell(Survey(.metrics, connections, publishing, figureSource), tag, connection)
        case .clients(let request): answer(request, tag: tag, to: connection)
        case .cluster(let change): answer(change, tag, connection)
        case .help(let topic):
            left -= .report
            let output = output(connection)
            for line in Help.answer(topic, from: reader.table) { output.reply(line, tag: tag, restsOn: .zero) }
        }
    }

    /// Answers a request about the nodes of a log, or begins the change that it asks for.
    private func answer(_ change: NodeChange?, _ tag: Tag?, _ connection: Connection) {
        let output = output(connection)
        guard let nodes else {
            return output.reply(.failed(.noCluster(engine.cluster())), tag: tag, restsOn: .zero)
        }
        if let change {
            connection.requestMustWait(for: .job, tag)
            return nodes.begin(change, tag: tag, for: connection)
        }
        left -= .report
        for reply in nodes.report { output.reply(reply, tag: tag, restsOn: .zero) }
    }

    /// Replies to the request for a change of the nodes, which has ended.
    func changeEnded(_ id: UInt64, _ end: NodeChangeEnd) {
        if let answer = nodes?.ended(id, end) { self.answer(answer) }
    }

    /// Begins an answer with the daemon's figures.
    func tell(_ answer: any AnswerCursor, _ tag: Tag?, _ connection: Connection) {
        left -= .report
        begin(Connection.Answer(cursor: answer, tag: tag, restsOn: .zero), connection)
    }
}
