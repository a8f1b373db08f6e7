import StoryCore
import StoryEngine
import StoryLog
import StoryReactor
import StoryWire

/// The work beside the loop that replies to requests when it ends.
struct RequestedWork {
    let checkpoints: CheckpointRequests
    let checks: DefinitionChecks
    let jobs: Jobs
    let seals: SealQueue
}

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
    func start(_ action: OperateAction, at position: Position?, _ tag: Tag?, _ connection: Connection) {
        switch action {
        case .checkpoint:
            connection.requestMustWait(for: .job, tag)
            work.checkpoints.wait(for: driver.acknowledged, tag, connection)
        case .check(let request):
            connection.requestMustWait(for: .job, tag)
            work.checks.begin(request, at: driver.acknowledged, tag, connection)
        case .verify:
            connection.requestMustWait(for: .job, tag)
            work.jobs.verify(sealAt: position, tag, connection)
        case .seal:
            let position = position ?? driver.acknowledged
            connection.requestMustWait(for: .job, tag)
            work.seals.add(position) { [self] result in
                let reply = Reply(result, at: position, engine.identity, trace)
                answer(JobAnswer(connection: connection, tag: tag, reply: reply))
            }
        case .backup(let path):
            guard let failure = work.jobs.backUp(to: String(decoding: path, as: UTF8.self), tag, connection) else {
                return connection.requestMustWait(for: .job, tag)
            }
            output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
        case .stats: tell(Survey(.report, connections, publishing, figureSource), tag, connection)
        case .metrics: tell(Survey(.metrics, connections, publishing, figureSource), tag, connection)
        case .clients(let request): clients.answer(request, tag: tag, to: connection, of: self)
        case .cluster(let change): NodeRequests.answer(change, tag: tag, to: connection, of: self)
        case .help(let topic):
            left -= .report
            let output = output(connection)
            for line in Help.answer(topic, from: reader.table) { output.reply(line, tag: tag, restsOn: .zero) }
        }
    }

    /// Begins an answer with the daemon's figures.
    func tell(_ answer: any AnswerCursor, _ tag: Tag?, _ connection: Connection) {
        left -= .report
        begin(Connection.Answer(cursor: answer, tag: tag, restsOn: .zero), connection)
    }
}
