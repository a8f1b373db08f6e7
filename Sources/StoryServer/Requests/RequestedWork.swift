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
            checkpointRequests.wait(for: driver.acknowledged, tag, connection)
        case .check(let request):
            connection.requestMustWait(for: .job, tag)
            checks.begin(request, at: driver.acknowledged, tag, connection)
        case .verify(let position):
            connection.requestMustWait(for: .job, tag)
            jobs.verify(sealAt: position, tag, connection)
        case .seal(let position):
            connection.requestMustWait(for: .job, tag)
            seals.add(position) { [self] result in
                let reply = Reply(result, at: position, engine.identity, trace)
                answer(JobAnswer(connection: connection, tag: tag, reply: reply))
            }
        case .backUp(let path):
            if let failure = jobs.backUp(to: path, tag, connection) {
                output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
            } else {
                connection.requestMustWait(for: .job, tag)
            }
        case .report: tell(Survey(.report, self), tag, connection)
        case .metrics: tell(Survey(.metrics, self), tag, connection)
        case .clients(let number):
            let clients = ClientList(self, only: number)
            if let number, clients.isEmpty {
                let failure = Failure(.notFound, "there is no client \(number)")
                return output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
            }
            tell(clients, tag, connection)
        case .cluster(let change): NodeRequests.answer(change, tag: tag, to: connection, of: self)
        case .help(let topic):
            left -= .report
            let output = output(connection)
            for line in Help.answer(topic, from: reader.table) { output.reply(line, tag: tag, restsOn: .zero) }
        }
    }

    /// Begins an answer with the daemon's figures.
    private func tell(_ answer: any AnswerCursor, _ tag: Tag?, _ connection: Connection) {
        left -= .report
        begin(Connection.Answer(cursor: answer, tag: tag, restsOn: .zero), connection)
    }
}
