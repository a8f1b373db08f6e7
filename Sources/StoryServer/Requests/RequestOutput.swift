import StoryCore
import StoryEngine
import StoryModels
import StoryWire

/// The engine's output: bytes for the connection whose request is being handled, and events for the log.
///
/// Work beyond that is kept as a follow-up, which the caller of the engine takes when the engine has returned.
final class RequestOutput: TurnOutput {
    /// Work that a request defers to the shell.
    enum FollowUp {
        /// Begins an answer that is written step by step.
        case answer(Connection.Answer)
        /// Begins work whose end replies to the request.
        case work(Job, Tag?)
        /// Sends the pending output and closes the connection.
        case end
    }

    private let dependency: ServerDependency
    private let driver: CommitDriver
    private let publishing: PushScheduler
    private let outbox: Outbox
    /// The connection that is written to; nil while no request is handled. Not retained: the caller of the engine
    /// retains it.
    @exclusivity(unchecked) private var connection: Unmanaged<Connection>?
    @exclusivity(unchecked) private var followUp: FollowUp?
    @exclusivity(unchecked) private var times = TimeText()
    /// The first failure that is a defect of the program.
    private var defect: Failure?
    /// True where there is a follow-up or a defect to take: most requests have neither.
    @exclusivity(unchecked) private(set) var hasFollowUp = false

    init(
        _ dependency: ServerDependency, _ driver: CommitDriver, _ publishing: PushScheduler, _ outbox: Outbox,
        _ connection: Connection? = nil
    ) {
        self.dependency = dependency
        self.driver = driver
        self.publishing = publishing
        self.outbox = outbox
        self.connection = connection.map { .passUnretained($0) }
    }

    /// Directs the output to this connection, which must be retained until `end`, or the next `begin`.
    func begin(_ connection: Connection) { self.connection = .passUnretained(connection) }

    /// Ends the output to the connection.
    func end() { connection = nil }

    /// Takes the follow-up of the request, and the first defect; each is nil where there is none.
    func takeFollowUp() -> (followUp: FollowUp?, defect: Failure?) {
        defer { (followUp, defect, hasFollowUp) = (nil, nil, false) }
        return (followUp, defect)
    }

    private func followUp(for followUp: FollowUp) {
        self.followUp = followUp
        hasFollowUp = true
    }

    // MARK: TurnOutput

    var durable: Position { driver.durable }
    var published: Position { publishing.published }

    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        at place: EventMetadata, after prior: PriorState
    ) { driver.append(proposals, index, to: stream, key: key, at: place, after: prior) }

    func receipt(_ receipt: Receipt, tag: Tag?) {
        write(restsOn: receipt.position) { ReplyEncoder.append(receipt, tag: tag, times: &times, to: &$0) }
    }

    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {
        guard let connection else { return }
        switch reply {
        case .stream, .sort, .receipt, .line:
            return connection._withUnsafeGuaranteedRef { connection in
                outbox.append(to: connection) { dependency.encoder.append(reply, tag: tag, to: &$0) }
            }
        case .done, .failed: write(restsOn: position) { dependency.encoder.append(reply, tag: tag, to: &$0) }
        }
        if case .failed(let failure) = reply {
            dependency.figures.failed(failure.code)
            connection._withUnsafeGuaranteedRef { $0.client.failed() }
            if failure.code == .internal { (defect, hasFollowUp) = (defect ?? failure, true) }
        }
    }

    func row(_ row: RowView, tag: Tag?, restsOn position: Position) {
        write(restsOn: position) { dependency.encoder.appendAnswer(row, tag: tag, to: &$0) }
    }

    func notify(_ notice: Notice) { write(restsOn: .zero) { ReplyEncoder.append(notice, to: &$0) } }

    func push(_ push: Push, to subscription: SubscriptionID) {
        write(restsOn: .zero) { ReplyEncoder.append(push, subscription: subscription, to: &$0) }
    }

    /// Writes one complete reply for the connection.
    @inline(__always)
    private func write(restsOn position: Position, _ body: (inout ByteWriter) -> Void) {
        let durable = durable
        connection?._withUnsafeGuaranteedRef { connection in
            outbox.write(to: connection, restsOn: position, durable: durable, body)
        }
    }

    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {
        followUp(for: .answer(Connection.Answer(cursor: cursor, tag: tag, restsOn: position)))
    }

    func start(_ job: Job, tag: Tag?) { followUp(for: .work(job, tag)) }
    func finish() { followUp(for: .end) }
}
