import StoryCore
import StoryEngine
import StoryLog
import StoryReactor
import StoryWire

/// Requests for work that the engine knows nothing of.
extension Requests {
    /// Work beside the loop has ended.
    func answer(_ answer: JobAnswer) {
        guard answer.connection.jobEnded() else { return }
        output(answer.connection).reply(answer.reply, tag: answer.tag, restsOn: .zero)
        dependency.slow.answerEnded(answer.connection)
        queue.add(answer.connection, hadShare: false)
    }

    /// Does at once what can be done at once, and lets the connection wait for the rest.
    func start(_ job: Job, _ tag: Tag?, _ connection: Connection) {
        switch job {
        case .checkpoint:
            connection.jobBegan(tag)
            checkpoints.await(driver.durable, tag, connection)
        case .verify:
            connection.jobBegan(tag)
            jobs.verify(tag, connection)
        case .backUp(let path):
            if let failure = jobs.backUp(to: path, tag, connection) {
                output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
            } else {
                connection.jobBegan(tag)
            }
        case .report: survey(.report, tag, connection)
        case .metrics: survey(.metrics, tag, connection)
        case .clients(let number): tellClients(number, tag, connection)
        case .help(let topic):
            spent += Requests.longUnits
            let output = output(connection)
            for line in Help.answer(topic) { output.reply(line, tag: tag, restsOn: .zero) }
        }
    }

    /// Looks at every connection, and tells the daemon's figures then.
    private func survey(_ purpose: Survey.Purpose, _ tag: Tag?, _ connection: Connection) {
        spent += Requests.longUnits
        let survey = Survey(purpose, connections, publishing) { [dependency, checkpoints, publishing, memory] sums in
            FigureSource(
                dependency: dependency, checkpoints: checkpoints, publishing: publishing, memory: memory, sums: sums)
        }
        begin(Connection.Answer(cursor: survey, tag: tag, restsOn: .zero), connection)
    }

    /// Tells of the connection with a number, or of all.
    private func tellClients(_ number: UInt64?, _ tag: Tag?, _ connection: Connection) {
        spent += Requests.longUnits
        let all = connections.all.filter { number == nil || $0.client.number == number }
        if let number, all.isEmpty {
            let failure = Failure(.notFound, "there is no client \(number)")
            return output(connection).reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        let ids = all.sorted { $0.client.number < $1.client.number }.map(\.id)
        let list = ClientList(
            ConnectionWalk(ids), of: connections, outbox, publishing, driver,
            subscriptionLimit: number == nil ? ClientReport.fewSubscriptions : ClientReport.mostSubscriptions,
            head: { [dependency] in dependency.log.head })
        begin(Connection.Answer(cursor: list, tag: tag, restsOn: .zero), connection)
    }
}
