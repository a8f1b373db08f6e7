import StoryCore
import StoryEngine
import StoryWire

/// What the engine writes to: bytes for the connection whose request is handled, events for the log.
///
/// What the request wants beyond that is kept for whoever had it handled, who takes it when the engine has returned.
final class RequestOutput: TurnOutput {
    /// What a request wants of the loop when the engine is done with it.
    enum Wish {
        /// An answer that is written step by step.
        case answer(Connection.Answer)
        /// The same with events of the log.
        case events(ReadPlan, Tag?)
        /// Work whose end answers the request.
        case work(Job, Tag?)
        /// That what waits is sent, and the connection then closed.
        case end
    }

    private let dependency: ServerDependency
    private let driver: TurnDriver
    private let publishing: Publishing
    private let outbox: Outbox
    /// Whom it is written to; nil while no request is handled. Whoever has a request handled keeps the connection.
    @exclusivity(unchecked) private var connection: Unmanaged<Connection>?
    @exclusivity(unchecked) private var wish: Wish?
    @exclusivity(unchecked) private var times = TimeText()
    /// The first failure that is a defect of the program's own.
    private var defect: Failure?
    /// True where a wish or a defect is there to be taken: most requests leave neither.
    @exclusivity(unchecked) private(set) var hasRest = false

    init(
        _ dependency: ServerDependency, _ driver: TurnDriver, _ publishing: Publishing, _ outbox: Outbox,
        _ connection: Connection? = nil
    ) {
        self.dependency = dependency
        self.driver = driver
        self.publishing = publishing
        self.outbox = outbox
        self.connection = connection.map { .passUnretained($0) }
    }

    /// What is written from now on is for this connection, which is there until `end`, or the next one's `begin`.
    func begin(_ connection: Connection) { self.connection = .passUnretained(connection) }

    /// Nothing more is written to the connection.
    func end() { connection = nil }

    /// What the request wants, and the first defect that it met; each nil where there is none.
    func takeRest() -> (wish: Wish?, defect: Failure?) {
        defer { (wish, defect, hasRest) = (nil, nil, false) }
        return (wish, defect)
    }

    private func wish(for wish: Wish) {
        self.wish = wish
        hasRest = true
    }

    // MARK: TurnOutput

    var durable: Position { driver.durable }
    var published: Position { publishing.published }

    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?, at place: EventPlace
    ) { driver.append(proposals, index, to: stream, key: key, at: place) }

    func receipt(_ receipt: Receipt, tag: Tag?) {
        write(restsOn: receipt.position) { ReplyEncoder.append(receipt, tag: tag, times: &times, to: &$0) }
    }

    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {
        guard let connection else { return }
        switch reply {
        case .stream, .sort, .receipt, .line:
            return connection._withUnsafeGuaranteedRef { connection in
                outbox.append(to: connection) { ReplyEncoder.append(reply, tag: tag, to: &$0) }
            }
        case .done, .failed: write(restsOn: position) { ReplyEncoder.append(reply, tag: tag, to: &$0) }
        }
        if case .failed(let failure) = reply {
            dependency.figures.failed(failure.code)
            connection._withUnsafeGuaranteedRef { $0.client.failed() }
            if failure.code == .internal { (defect, hasRest) = (defect ?? failure, true) }
        }
    }

    func row(_ row: RowView, tag: Tag?, restsOn position: Position) {
        write(restsOn: position) { ReplyEncoder.appendAnswer(row, tag: tag, to: &$0) }
    }

    func notify(_ notice: Notice) { write(restsOn: .zero) { ReplyEncoder.append(notice, to: &$0) } }

    func push(_ push: Push, to subscription: SubscriptionID) {
        write(restsOn: .zero) { ReplyEncoder.append(push, subscription: subscription, to: &$0) }
    }

    /// Writes something whole for the connection.
    @inline(__always)
    private func write(restsOn position: Position, _ body: (inout [UInt8]) -> Void) {
        let durable = durable
        connection?._withUnsafeGuaranteedRef { connection in
            outbox.write(to: connection, restsOn: position, durable: durable, body)
        }
    }

    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {
        wish(for: .answer(Connection.Answer(cursor: cursor, tag: tag, restsOn: position)))
    }

    func read(_ plan: ReadPlan, tag: Tag?) { wish(for: .events(plan, tag)) }
    func start(_ job: Job, tag: Tag?) { wish(for: .work(job, tag)) }
    func finish() { wish(for: .end) }
}
