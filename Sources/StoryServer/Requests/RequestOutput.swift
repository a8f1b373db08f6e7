import StoryCore
import StoryEngine
import StoryFold
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
        case work(OperateAction, at: Position?, Tag?)
        /// Handles the request again after a look.
        case look(any RequestLook, Tag?)
        /// Sends the pending output and closes the connection.
        case end
    }

    /// A request that is handled. Its connection is not retained: the caller of the engine retains it.
    private struct Handled {
        let connection: Unmanaged<Connection>
        let verb: Verb
        let isTimed: Bool
    }

    private let driver: CommitDriver
    private let publishing: PushScheduler
    private let outbox: Outbox
    private let encoder: ReplyEncoder
    private let figures: Figures
    private let trace: Trace
    private var handled: Handled?
    /// The connection that is written to, and the verb of its request; nil while no request is answered.
    private var connection: Unmanaged<Connection>?
    private var verb: Verb?
    private var followUp: FollowUp?
    private var times = TimeText()
    /// The requests that the engine answers later.
    private var rows: RowRequests
    /// The bytes that were written since `takeWritten`.
    private var written = 0
    /// True where there is a follow-up to take: most requests have none.
    private(set) var hasFollowUp = false
    /// True where the request is answered later.
    private(set) var isRowWanted = false

    init(
        driver: CommitDriver, publishing: PushScheduler, outbox: Outbox, encoder: ReplyEncoder, figures: Figures,
        trace: Trace, rows: consuming RowRequests, to connection: Connection? = nil
    ) {
        (self.driver, self.publishing, self.outbox) = (driver, publishing, outbox)
        (self.encoder, self.figures, self.trace) = (encoder, figures, trace)
        self.rows = rows
        self.connection = connection.map { .passUnretained($0) }
    }

    /// Returns an output for a connection while none of its requests is handled; without a connection, for events that no
    /// request asked for.
    func another(to connection: Connection?) -> RequestOutput {
        RequestOutput(
            driver: driver, publishing: publishing, outbox: outbox, encoder: encoder, figures: figures, trace: trace,
            rows: rows.emptied(), to: connection)
    }

    /// Directs the output to the connection of a request, which must be retained until `end`.
    func begin(_ connection: Connection, _ verb: Verb, isTimed: Bool) {
        handled = Handled(connection: .passUnretained(connection), verb: verb, isTimed: isTimed)
        isRowWanted = false
        direct()
    }

    /// Ends the output to the connection.
    func end() {
        handled = nil
        direct()
    }

    /// Directs the output to the connection of the request that is handled.
    private func direct() { (connection, verb) = (handled?.connection, handled?.verb) }

    /// Takes the number of bytes that were written since the last call.
    func takeWritten() -> Int {
        defer { written = 0 }
        return written
    }

    /// Takes the follow-up of the request; nil where there is none.
    func takeFollowUp() -> FollowUp? {
        defer { (followUp, hasFollowUp) = (nil, false) }
        return followUp
    }

    private func followUp(for followUp: FollowUp) {
        self.followUp = followUp
        hasFollowUp = true
    }

    // MARK: TurnOutput

    var durable: Position { driver.acknowledged }
    var published: Position { publishing.published }
    var isEnding: Bool { driver.life.isEnding }

    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        cursor: ByteView?, at place: EventMetadata, after prior: PriorState
    ) -> Bool { driver.append(proposals, index, to: stream, key: key, cursor: cursor, at: place, after: prior) }

    func receipt(_ receipt: Receipt, tag: Tag?) {
        write(restsOn: receipt.position) { ReplyEncoder.append(receipt, tag: tag, times: &times, to: &$0) }
    }

    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {
        guard let connection else { return }
        switch reply {
        case .stream, .sort, .receipt, .line:
            return connection._withUnsafeGuaranteedRef { connection in
                let before = connection.output.count
                outbox.append(to: connection) { encoder.append(reply, tag: tag, to: &$0) }
                written += connection.output.count - before
            }
        case .done, .failed: write(restsOn: position) { encoder.append(reply, tag: tag, to: &$0) }
        }
        if case .failed(let failure) = reply {
            connection._withUnsafeGuaranteedRef { figures.failed(failure.code, of: $0) }
            if failure.code == .internal, let verb {
                trace.sayEachSecond("defect", ["verb": verb.name, "message": failure.message])
            }
        }
    }

    func row(_ row: RowView, tag: Tag?, restsOn position: Position) {
        write(restsOn: position) { encoder.appendAnswer(row, tag: tag, to: &$0) }
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
            let before = connection.output.count
            outbox.write(to: connection, restsOn: position, durable: durable, body)
            written += connection.output.count - before
        }
    }

    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {
        followUp(for: .answer(Connection.Answer(cursor: cursor, tag: tag, restsOn: position)))
    }

    func start(_ work: OperateAction, at position: Position?, tag: Tag?) {
        followUp(for: .work(work, at: position, tag))
    }
    func finish() { followUp(for: .end) }

    var look: (any RequestLook)? {
        guard let handled else { return nil }
        return handled.connection._withUnsafeGuaranteedRef { $0.conversation?.look }
    }

    func handleAgain(after look: any RequestLook, tag: Tag?) { followUp(for: .look(look, tag)) }

    // MARK: Rows

    func rowIsWanted(_ kind: Kind) {
        guard let handled else { return }
        isRowWanted = true
        handled.connection._withUnsafeGuaranteedRef { rows.add(kind, from: $0, isTimed: handled.isTimed) }
    }

    func rowsBegin() { rows.begin() }

    func rowBegins(_ index: Int) { (connection, verb) = (.passUnretained(rows[index]), .read(.get)) }

    func rowsEnd() {
        rows.end()
        direct()
    }
}
