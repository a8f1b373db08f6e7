package import StoryCore

/// What the engine writes to while it handles one request: the events of the turn, and what its connection is told.
///
/// A reply names the position that it rests on: it leaves when that is durable and everything before it has left. One
/// that rests on an event which is undone is replaced by a failure.
package protocol TurnOutput: AnyObject {
    /// The last event that is durable.
    var durable: Position { get }
    /// Everything up to here was shown to those who follow.
    var published: Position { get }
    /// Appends one of the events that a write proposes to the log, and has the engine fold its record as the log lends
    /// it. A proposal is large: it is lent where it lies.
    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?, at place: EventPlace)
    /// Writes one line of the reply to a request; `.done` and `.failed` close it.
    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position)
    /// Closes the answer with the receipt of a write, and rests on the event that it is for.
    func receipt(_ receipt: Receipt, tag: Tag?)
    /// Closes the answer with a row, which is lent.
    func row(_ row: RowView, tag: Tag?, restsOn position: Position)
    /// Tells the connection something that it did not ask for.
    func notify(_ notice: Notice)
    /// Tells a subscriber something other than an event; it rests on what is durable.
    func push(_ push: Push, to subscription: SubscriptionID)
    /// Answers step by step.
    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position)
    /// Answers step by step with events of the log that are durable.
    func read(_ plan: ReadPlan, tag: Tag?)
    /// Answers when work is done that the engine knows nothing of.
    func start(_ job: Job, tag: Tag?)
    /// Sends what waits, then closes the connection.
    func finish()
}

/// Work that the shell does, and whose end answers the request.
package enum Job: Equatable, Sendable {
    /// Bring the stored models up to the log.
    case checkpoint
    /// Check the whole log.
    case verify
    /// Copy the log into a new directory.
    case backUp(path: String)
    /// Tell the daemon's figures to a person.
    case report
    /// Tell them to a program that collects figures.
    case metrics
    /// Tell of the connections: of the one with this number, or of all.
    case clients(UInt64?)
    /// Tell of the request table.
    case help(topic: String?)
}
