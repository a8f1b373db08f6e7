import StoryCore
import StoryEngine
import StoryWire

/// Requests for work that the engine knows nothing of.
extension Requests {
    /// Work beside the loop has ended.
    func answer(_ answer: JobAnswer) {
        guard answer.connection.jobEnded() else { return }
        outbox.touch(answer.connection)
        output(answer.connection).reply(answer.reply, tag: answer.tag, restsOn: .zero)
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
        case .report:
            spent += Requests.longUnits
            let report = stats.report(durable: driver.durable)
            output(connection).reply(.done(.members(report)), tag: tag, restsOn: .zero)
        case .help(let topic):
            spent += Requests.longUnits
            let output = output(connection)
            for line in Help.answer(topic) { output.reply(line, tag: tag, restsOn: .zero) }
        }
    }
}
