import StoryCore
import StoryEngine
import StoryWire

/// What the engine writes to while it handles a request of one connection: bytes for it, events for the log.
struct RequestOutput: TurnOutput {
    let connection: Connection
    let driver: TurnDriver
    let requests: Requests

    var durable: Position { driver.durable }

    func append(_ event: Event) { driver.append(event.header) { EventEncoder.append(event, to: &$0) } }

    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {
        ReplyEncoder.append(reply, tag: tag, to: &connection.output.bytes)
        switch reply {
        case .stream, .sort, .receipt, .line: break
        case .done: connection.output.close(restsOn: position, durable: durable)
        case .failed(let failure):
            connection.output.close(restsOn: position, durable: durable)
            requests.failed(failure)
        }
    }

    func row(_ row: RowView, tag: Tag?, restsOn position: Position) {
        ReplyEncoder.appendAnswer(row, tag: tag, to: &connection.output.bytes)
        connection.output.close(restsOn: position, durable: durable)
    }

    func notify(_ notice: Notice) {
        ReplyEncoder.append(notice, to: &connection.output.bytes)
        connection.output.close(restsOn: .zero, durable: durable)
    }

    func push(_ publication: Publication, to subscription: SubscriptionID) {
        ReplyEncoder.append(publication, subscription: subscription, to: &connection.output.bytes)
        connection.output.close(restsOn: .zero, durable: durable)
    }

    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {
        connection.answerBegan(Connection.Answer(cursor: cursor, tag: tag, restsOn: position))
    }

    func read(_ plan: ReadPlan, tag: Tag?) { answer(with: requests.cursor(plan), tag: tag, restsOn: .zero) }
    func start(_ job: Job, tag: Tag?) { requests.start(job, tag, self) }
    func finish() { requests.finishRequested() }
}
