package import StoryCore

/// The link of a replica to its source: a state machine over its connections, the comparison of both histories, and the
/// records that come.
///
/// Each method is an input, named for the event that happened, and returns the actions for the shell, in order. Before
/// records are asked for, both must have the same seal at the replica's head; later they are compared at each multiple
/// of `interval`. Where they differ, the source is connected to once more, since a byte may have changed on its way; where
/// they differ again before a record was taken, the replica stops for good.
package struct Following: Equatable, Sendable {
    /// The distance between two positions at which seals are compared.
    package static let interval: UInt64 = 65_536

    /// The state of the link.
    package enum State: Equatable, Sendable {
        /// There is no connection; the next one is tried at a tick.
        case waiting(until: UInt64)
        /// The greeting of the source has not come.
        case connected
        /// The seals at the replica's head are compared.
        case proving(SealComparison)
        /// Records were asked for.
        case asking
        /// Records come.
        case receiving
        /// The replica must end.
        case stopped(FollowingFault)
    }

    /// The action for the shell.
    package enum Action: Equatable, Sendable {
        /// Connect to the source, then call `connected` or `connectionFailed`.
        case connect
        /// Close the connection.
        case disconnect
        /// Send a request to the source.
        case ask(SourceRequest)
        /// Compute the own seal at a position, then call `sealed`.
        case seal(at: Position)
        /// Append the records of this line, which follow the head.
        case take
        /// Requests that waited for this question wait for this position now.
        case answer(question: UInt64, Position)
        /// Trace a happening.
        case say(String, reason: String?)
        /// End the process.
        case stop(FollowingFault)
    }

    /// The present state.
    package private(set) var state: State
    /// The last event of the source, as far as that is known.
    package private(set) var source = Position.zero
    /// True from a failure of the connection, which is traced once, until the source agrees to send records.
    package private(set) var isLost = false
    /// True while everything that the source has is here.
    package private(set) var isCurrent = false
    private let address: String
    private let log: LogID
    private var retry = RetryDelay(most: Following.longestDelay)
    /// The tick at which the source agreed to send records.
    private var acceptedAt: UInt64 = 0
    /// The comparison at a multiple of `interval`; nil while there is none.
    private var comparison: SealComparison?
    /// The last position at which both seals were equal.
    private var proven = Position.zero
    private var questions = SourceQuestions()
    /// The last event that is here, as far as this link knows.
    private var head = Position.zero
    /// The last event that was here when both differed last; nil before that.
    package private(set) var doubt: Position?

    /// Creates a link that connects at the first tick.
    ///
    /// - Parameters:
    ///   - address: the address of the source, for sentences.
    ///   - log: the history of this replica.
    ///   - doubt: the last event that was here when an earlier link found both to differ; nil where none did.
    package init(_ address: String, log: LogID, doubt: Position? = nil) {
        (self.address, self.log, self.doubt) = (address, log, doubt)
        state = .waiting(until: 0)
    }

    /// True while the source is known to be of this history, so that it can be asked, and its position is known.
    package var isOpen: Bool {
        switch state {
        case .proving, .asking, .receiving: true
        case .waiting, .connected, .stopped: false
        }
    }

    /// True while there is a connection, or one is wanted.
    package var isStopped: Bool { if case .stopped = state { true } else { false } }

    // MARK: The connection

    /// Notes that a tick of 0.1 s has passed, and connects when it is time.
    ///
    /// - Parameter isQuiet: whether every event that is here is stored, so that the histories can be compared.
    package mutating func ticked(at tick: UInt64, isQuiet: Bool) -> [Action] {
        guard case .waiting(let until) = state, isQuiet, tick >= until else { return [] }
        return [.connect]
    }

    /// Notes that the source accepted a connection.
    package mutating func connected() -> [Action] {
        guard case .waiting = state else { return [] }
        state = .connected
        return []
    }

    /// Notes that no connection could be made.
    package mutating func connectionFailed(_ reason: String, at tick: UInt64) -> [Action] {
        guard case .waiting = state else { return [] }
        return lose(reason, at: tick)
    }

    /// Notes that the connection ended.
    package mutating func connectionEnded(
        _ reason: String = "the source closed the connection", at tick: UInt64
    ) -> [Action] {
        switch state {
        case .waiting, .stopped: []
        case .connected, .proving, .asking, .receiving: lose(reason, at: tick)
        }
    }

    /// Gives up the connection, if there is one; the next one is tried after a delay.
    private mutating func lose(_ reason: String, at tick: UInt64, closes: Bool = false) -> [Action] {
        if case .receiving = state, tick >= acceptedAt + Following.steadyTicks { retry.reset() }
        let isNews = !isLost
        state = .waiting(until: tick + retry.failed())
        (isCurrent, isLost, comparison) = (false, true, nil)
        questions.connectionEnded()
        return (closes ? [.disconnect] : []) + (isNews ? [.say("source-lost", reason: reason)] : [])
    }

    /// Stops for a fault that was found again; one that was found first may be a byte that changed on its way.
    private mutating func differ(_ fault: FollowingFault, at tick: UInt64) -> [Action] {
        if doubt == head { return stop(fault) }
        doubt = head
        return lose("\(fault)", at: tick, closes: true)
    }

    private mutating func stop(_ fault: FollowingFault) -> [Action] {
        state = .stopped(fault)
        isCurrent = false
        return [.disconnect, .stop(fault)]
    }

    // MARK: Lines

    /// Takes a line of the source.
    ///
    /// - Parameter head: the last event that is here.
    package mutating func heard(_ line: SourceLine, head: Position, at tick: UInt64) -> [Action] {
        switch line {
        case .greeting(let log, let position, let isReplica):
            return greeted(log, at: position, isReplica: isReplica, head: head, at: tick)
        case .seal(let seal, let position): return compared(at: tick) { $0.told(seal, at: position) }
        case .accepted: return accepted(head: head, at: tick)
        case .records(let records, let position): return came(records, position, head: head, at: tick)
        case .caughtUp(let position):
            source = max(source, position)
            return becameCurrent(head: head)
        case .position(let position, let question):
            source = max(source, position)
            let next = questions.answered(question)
            return [.answer(question: question, position)] + ask(next)
        case .refused(let code, let message): return lose("\(code): \(message)", at: tick, closes: true)
        case .ended(let reason): return lose("the source ends: \(reason)", at: tick, closes: true)
        case .malformed: return lose("the source sent a line that is none of the protocol", at: tick, closes: true)
        case .other: return []
        }
    }

    private mutating func greeted(
        _ log: LogID, at position: Position, isReplica: Bool, head: Position, at tick: UInt64
    ) -> [Action] {
        guard state == .connected else { return [] }
        self.head = head
        guard log == self.log else {
            return differ(.otherHistory(address, theirs: log, ours: self.log), at: tick)
        }
        guard position >= head else {
            // A replica that was killed lacks events that it had not stored, and gets them again from its own source.
            guard isReplica else {
                return differ(.sourceBehind(address, source: position, here: head), at: tick)
            }
            return lose("the source is at \(position.value), and this replica at \(head.value)", at: tick, closes: true)
        }
        source = position
        guard head > .zero else {
            state = .asking
            return [.ask(.send(from: head.next, self.log))] + ask(questions.connected())
        }
        state = .proving(SealComparison(at: head))
        return [.ask(.seal(at: head)), .seal(at: head)] + ask(questions.connected())
    }

    private mutating func accepted(head: Position, at tick: UInt64) -> [Action] {
        guard state == .asking else { return [] }
        (state, acceptedAt, isLost) = (.receiving, tick, false)
        return [.say("source-found", reason: nil)] + becameCurrent(head: head)
    }

    private mutating func becameCurrent(head: Position) -> [Action] {
        guard state == .receiving, !isCurrent, head >= source else { return [] }
        isCurrent = true
        return [.say("following", reason: nil)]
    }

    private mutating func came(
        _ records: RawRecords, _ position: Position, head: Position, at tick: UInt64
    ) -> [Action] {
        guard state == .receiving else { return [] }
        guard records.count > 0, records.first == head.next else {
            let reason = "records from \(records.first.value) came, and \(head.next.value) is next"
            return lose(reason, at: tick, closes: true)
        }
        source = max(source, position)
        return [.take]
    }

    /// Notes that records were taken, so that the source is worth its connection.
    package mutating func taken(through head: Position) -> [Action] {
        retry.reset()
        self.head = head
        if head < source, isCurrent, source.value - head.value > Following.farBehind { isCurrent = false }
        return becameCurrent(head: head)
    }

    /// The longest delay between two tries to connect, in ticks of 0.1 s.
    private static let longestDelay: UInt64 = 30
    /// How long a connection without records has to last, in ticks of 0.1 s, for the next one to come without a delay.
    private static let steadyTicks: UInt64 = 100

    /// The distance from the source at which a replica that followed catches up again.
    private static let farBehind: UInt64 = 10_000

    /// Notes that records cannot follow the events that are here, though they came in order.
    package mutating func recordsRefused(_ error: StorageError, at tick: UInt64) -> [Action] {
        differ(.recordsDiffer(address, error), at: tick)
    }

    // MARK: Seals

    /// Notes that events are stored in blocks: compares the seals at the newest multiple of `interval`.
    package mutating func stored(through position: Position) -> [Action] {
        let newest = Position(position.value / Following.interval * Following.interval)
        guard state == .receiving, comparison == nil, newest > proven, newest > .zero else { return [] }
        comparison = SealComparison(at: newest)
        return [.ask(.seal(at: newest)), .seal(at: newest)]
    }

    /// Takes the own seal at a position.
    package mutating func sealed(_ seal: String, at position: Position, tick: UInt64) -> [Action] {
        compared(at: tick) { $0.computed(seal, at: position) }
    }

    private mutating func compared(at tick: UInt64, _ input: (inout SealComparison) -> Void) -> [Action] {
        if case .proving(var proof) = state {
            input(&proof)
            state = .proving(proof)
            guard let isEqual = proof.isEqual else { return [] }
            guard isEqual else { return differ(.sealsDiffer(address, at: proof.position), at: tick) }
            proven = proof.position
            state = .asking
            return [.ask(.send(from: proof.position.next, log))]
        }
        guard state == .receiving, var proof = comparison else { return [] }
        input(&proof)
        comparison = proof
        guard let isEqual = proof.isEqual else { return [] }
        guard isEqual else { return differ(.sealsDiffer(address, at: proof.position), at: tick) }
        (comparison, proven) = (nil, proof.position)
        return []
    }

    // MARK: Questions

    /// Asks the source for its position.
    ///
    /// - Returns: the number of the question whose answer is at least the present position, and the actions.
    package mutating func positionWanted() -> (question: UInt64, [Action]) {
        let (question, isAsked) = questions.wanted(isOpen: isOpen)
        return (question, isAsked ? [.ask(.position(question: question))] : [])
    }

    private func ask(_ question: UInt64?) -> [Action] { question.map { [.ask(.position(question: $0))] } ?? [] }
}
