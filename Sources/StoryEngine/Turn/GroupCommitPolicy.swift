/// The rules of group commit: when the next commit begins, and which thread runs it.
///
/// The loop runs commits itself while syncs are quick and one client is connected. Else a worker runs them, and after
/// each the next one waits for the clients that are about to write again. Without that delay the first of them would
/// begin a commit alone, and the others would wait for two syncs.
package struct GroupCommitPolicy: Equatable, Sendable {
    /// The next step of the loop for the events that are not durable.
    package enum Decision: Equatable, Sendable {
        /// The loop runs the commit now.
        case commitInline
        /// The worker runs the commit, beginning now.
        case commitOnWorker
        /// The commit waits for another turn, which comes within this time at the latest. Zero where it comes in any
        /// case: requests are at hand, or a flush has to end first.
        case wait(nanoseconds: UInt64)
    }

    /// The events that a commit would have now, and the state of the loop.
    package struct Situation: Equatable, Sendable {
        /// The number of events, and of their bytes.
        package var events: UInt64
        package var bytes: Int
        /// The number of connected clients.
        package var connections: Int
        /// False where the events have to be durable as soon as possible.
        package var mayGather: Bool
        /// True when another turn follows at once, whose events may join the commit.
        package var isMoreAtHand: Bool
        /// True while the journal has no room for the commit before a flush has ended.
        package var isWaitingForFlush: Bool

        /// Makes a situation.
        package init(
            events: UInt64, bytes: Int, connections: Int, mayGather: Bool = true, isMoreAtHand: Bool = false,
            isWaitingForFlush: Bool = false
        ) {
            self.events = events
            self.bytes = bytes
            self.connections = connections
            self.mayGather = mayGather
            self.isMoreAtHand = isMoreAtHand
            self.isWaitingForFlush = isWaitingForFlush
        }
    }

    /// The average duration below which commits are quick: a hand-over to the worker would then cost a good part of it.
    package static let quickNanoseconds: UInt64 = 300_000
    /// The number of commits that the average covers: enough for one slow sync to change nothing, few enough for the
    /// policy to follow a disk that slows down within a dozen.
    package static let averagedCommits: UInt64 = 8
    /// The number of connections with which the loop runs commits: a slow sync then delays no other client.
    package static let inlineConnections = 1
    /// The number of events at which a commit of the loop waits for no more: the sync is then a small part of the cost
    /// of each, and replies would only leave later.
    package static let eventsPerCommit: UInt64 = 1_024
    /// The longest gap between two writes that the delay accepts, as a fraction (1/4) of the last commit's duration:
    /// a client that takes longer is not about to write.
    package static let gapShare: UInt64 = 4
    /// The longest duration, in nanoseconds, that the delay is measured by: a commit that took longer met a fault, and
    /// says nothing of when its clients write again.
    package static let slowestNanoseconds: UInt64 = 100_000_000

    /// The number of bytes at which a commit is full and waits for no more events.
    private let bytesPerCommit: Int
    /// The moving average of commit durations, in nanoseconds.
    private var average: UInt64 = 0
    /// When the delay ends in any case, in nanoseconds of the steady clock.
    private var deadline: UInt64 = 0
    /// When the delay ends unless another event comes, in nanoseconds of the steady clock.
    private var patience: UInt64 = 0
    /// The longest gap between two events, in nanoseconds.
    private var gap: UInt64 = 0
    /// The number of events that end the delay when they are there.
    private var expectedEvents: UInt64 = 0
    /// The number of events at the last decision.
    private var seen: UInt64 = 0

    /// Makes the policy of a loop that has run no commit yet.
    package init(bytesPerCommit: Int) { self.bytesPerCommit = bytesPerCommit }

    /// Returns true when a commit of this size takes no more events.
    package func isFull(bytes: Int) -> Bool { bytes >= bytesPerCommit }

    /// Decides on the commit of at least one event, at a time of the steady clock in nanoseconds.
    package mutating func decide(_ next: Situation, at now: UInt64) -> Decision {
        let mayGather = next.mayGather && !isFull(bytes: next.bytes)
        guard average >= Self.quickNanoseconds || next.connections > Self.inlineConnections else {
            let isWorthMore = mayGather && next.isMoreAtHand && next.events < Self.eventsPerCommit
            return isWorthMore || next.isWaitingForFlush ? .wait(nanoseconds: 0) : .commitInline
        }
        let delay = mayGather ? delay(with: next.events, at: now) : 0
        return delay > 0 || next.isWaitingForFlush ? .wait(nanoseconds: delay) : .commitOnWorker
    }

    /// Adds a commit's duration to the average; a single slow one is capped at eight times the threshold.
    ///
    /// - Parameter nanoseconds: the duration of the write and the sync alone.
    package mutating func commitEnded(nanoseconds: UInt64) {
        let bounded = min(nanoseconds, Self.quickNanoseconds * Self.averagedCommits)
        average = (average * (Self.averagedCommits - 1) + bounded) / Self.averagedCommits
    }

    /// Starts the delay after a commit of the worker.
    ///
    /// - Parameters:
    ///   - events: the number of events that it had, plus those appended meanwhile.
    ///   - nanoseconds: the duration of the commit.
    ///   - now: nanoseconds of the steady clock.
    package mutating func workerCommitEnded(events: UInt64, nanoseconds: UInt64, at now: UInt64) {
        let bounded = min(nanoseconds, Self.slowestNanoseconds)
        gap = bounded / Self.gapShare
        deadline = now + bounded
        patience = now + gap
        expectedEvents = events
        seen = 0
    }

    /// Returns how long the next commit still waits unless another event comes, in nanoseconds: as long as writes keep
    /// coming, but no longer than the last commit took; 0 when it is due.
    private mutating func delay(with events: UInt64, at now: UInt64) -> UInt64 {
        guard events < expectedEvents, now < deadline else { return 0 }
        if events > seen {
            seen = events
            patience = now + gap
        }
        return now < patience ? min(patience, deadline) - now : 0
    }
}
