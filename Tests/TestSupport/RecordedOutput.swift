package import StoryCore
package import StoryEngine
package import StoryFold

/// What the engine wrote to its output, as values.
package enum Effect: Equatable {
    case append(Event)
    case reply(Tag?, Reply, restsOn: Position)
    /// A row of a list.
    case row(Tag?, RowCopy, restsOn: Position)
    case notify(Notice)
    case push(SubscriptionID, Push)
    case answer(Tag?, restsOn: Position)
    case read(Tag?, ReadPlan)
    case start(Tag?, OperateAction, at: Position?)
    case finish
    /// The request is to be handled again after a look at its conditions.
    case again(Tag?)
}

/// An output that remembers, and carries the appends out in a log.
package final class RecordedOutput: TurnOutput {
    package private(set) var effects: [Effect] = []
    package var durable: Position
    package var published: Position { durable }
    /// True once the program ends.
    package var isEnding: Bool
    /// The budget of each step of an answer, in records.
    package var stepRecords = 1 << 40
    /// True where answers wait for the test to step them.
    package var holdsAnswers = false
    /// The answer that waits.
    package private(set) var held: HeldAnswer?
    private let log: PlainLog
    private let fold: (EventRecord, PriorState) -> Void

    /// - Parameter fold: folds what the log took.
    package init(
        _ log: PlainLog, durable: Position, isEnding: Bool = false,
        _ fold: @escaping (EventRecord, PriorState) -> Void
    ) {
        self.log = log
        self.isEnding = isEnding
        self.durable = durable
        self.fold = fold
    }

    package func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        cursor: ByteView?, at place: EventMetadata, after prior: PriorState
    ) -> Bool {
        let event = Event(proposals[index], to: stream, key: key, at: place, cursor: cursor).kept
        effects.append(.append(event))
        log.append(event)
        event.withRecord { fold($0, prior) }
        return true
    }

    package func row(_ row: RowView, tag: Tag?, restsOn position: Position) {
        effects.append(.reply(tag, .done(.row(RowCopy(row))), restsOn: position))
    }

    package func receipt(_ receipt: Receipt, tag: Tag?) {
        reply(.done(.receipt(receipt)), tag: tag, restsOn: receipt.position)
    }

    package func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {
        effects.append(.reply(tag, reply, restsOn: position))
    }

    package func notify(_ notice: Notice) { effects.append(.notify(notice)) }

    package func push(_ push: Push, to subscription: SubscriptionID) {
        effects.append(.push(subscription, push))
    }

    package func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {
        if let read = cursor as? ReadAnswer { return effects.append(.read(tag, read.plan)) }
        let answer = HeldAnswer(cursor, tag)
        held = answer
        guard !holdsAnswers else { return effects.append(.answer(tag, restsOn: position)) }
        while answer.end == nil { answer.step(stepRecords) }
        effects += answer.effects
    }

    package func start(_ work: OperateAction, at position: Position?, tag: Tag?) {
        effects.append(.start(tag, work, at: position))
    }
    package func finish() { effects.append(.finish) }

    /// The look at the conditions of the request that is handled next; the tests take it from one output to another.
    package var look: (any RequestLook)?

    package func handleAgain(after look: any RequestLook, tag: Tag?) {
        self.look = look
        effects.append(.again(tag))
    }
}
