package import StoryCore
package import StoryFold

/// The output of the engine for one request: appended events, and lines to its connection.
///
/// A reply names the position that it rests on: it is sent once that is durable and everything before it was sent. A
/// reply that rests on an event which is rolled back is replaced by a failure.
package protocol TurnOutput: AnyObject {
    /// The last event that is durable.
    var durable: Position { get }
    /// The last position that was shown to subscriptions.
    var published: Position { get }
    /// True once the program ends: requests and connections are refused.
    var isEnding: Bool { get }
    /// Appends one of the events that a write proposes to the log, and folds its record. The whole array is passed, since
    /// a proposal is large and would be copied.
    ///
    /// - Parameters:
    ///   - cursor: the text of the move of a cursor that is committed with the event; nil where there is none.
    ///   - prior: the state before the event, which the fold takes.
    /// - Returns: false if the event was not taken; then everything that is not durable is undone, or the process ends.
    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        cursor: ByteView?, at place: EventMetadata, after prior: PriorState
    ) -> Bool
    /// Writes one line of the reply to a request; `.done` and `.failed` close it.
    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position)
    /// Closes the answer with the receipt of a write; it rests on the event of the receipt.
    func receipt(_ receipt: Receipt, tag: Tag?)
    /// Closes the answer with a row; the view is valid until the call returns.
    func row(_ row: RowView, tag: Tag?, restsOn position: Position)
    /// Sends the connection a notice, which answers no request.
    func notify(_ notice: Notice)
    /// Sends a subscription something other than an event; it rests on durable events only.
    func push(_ push: Push, to subscription: SubscriptionID)
    /// Answers in steps.
    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position)
    /// Answers when work beside the engine is done.
    ///
    /// - Parameter position: the position of the moment that the work is about; nil where it names none.
    func start(_ work: OperateAction, at position: Position?, tag: Tag?)
    /// Sends the waiting output, then closes the connection.
    func finish()

    /// The look that an earlier handling of this request began; nil where there is none.
    var look: (any RequestLook)? { get }
    /// Has the request handled again after a look: nothing is answered now.
    func handleAgain(after look: any RequestLook, tag: Tag?)

    /// Keeps the connection of this request, which asks for a row of a kind: the engine answers it later, with others.
    func rowIsWanted(_ kind: Kind)
    /// Notes that the rows that are wanted are looked up now.
    func rowsBegin()
    /// Directs the output to the connection that wanted a row, by the order of the requests since the last `rowsEnd`.
    func rowBegins(_ index: Int)
    /// Directs the output to the connection of the present request again, and forgets the others.
    func rowsEnd()
}

extension TurnOutput {
    /// Nothing, for an output that has one receiver.
    package func rowIsWanted(_ kind: Kind) {}
    /// Nothing, for an output that has one receiver.
    package func rowsBegin() {}
    /// Nothing, for an output that has one receiver.
    package func rowBegins(_ index: Int) {}
    /// Nothing, for an output that has one receiver.
    package func rowsEnd() {}
}
