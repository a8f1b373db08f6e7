import StoryClient
import StoryCore

/// A subscription as its address asks for it, and the point from which another connection goes on.
struct LiveRequest {
    private let target: ArraySlice<String>
    private let options: [RequestTarget.Item]
    /// False for rows, which are all sent by each subscription.
    let isOfEvents: Bool
    /// The position from which a subscription to events goes on; nil before it is known.
    private var resume: UInt64?
    /// The history that the position is of.
    private var log: String?

    /// Reads an address.
    ///
    /// - Parameter last: the position of the last push that the client has seen; it counts for events alone.
    init(_ target: ArraySlice<String>, _ options: [RequestTarget.Item], last: UInt64?) {
        (self.target, self.options) = (target, options)
        let isOfEvents = target.first == "events"
        resume = isOfEvents ? last.flatMap { $0 < UInt64.max ? $0 + 1 : nil } : nil
        self.isOfEvents = isOfEvents
    }

    /// Returns the request line.
    ///
    /// - Throws: the reason why the address is none.
    func line() throws(MalformedQuery) -> String {
        try QueryLine.subscription(
            target, options: options, from: resume.map { "\($0)" }, log: resume == nil ? nil : log)
    }

    /// Notes the history of the connection that the subscription is made on.
    mutating func opened(_ greeting: [UInt8]) { log = JSONMembers(greeting)?.text("log") }

    /// Notes the end of the log at which a subscription began.
    mutating func began(_ reply: [UInt8]) {
        guard isOfEvents, resume == nil, !options.contains(where: { $0.name == "from" }) else { return }
        resume = JSONMembers(reply)?.number("position").map { $0 + 1 }
    }

    /// Notes that everything through a position was sent.
    mutating func sent(_ position: UInt64) { if isOfEvents { resume = position + 1 } }

    /// Notes the position that the store says to go on from.
    mutating func ended(resume: UInt64?) { if isOfEvents, let resume { self.resume = resume } }
}
