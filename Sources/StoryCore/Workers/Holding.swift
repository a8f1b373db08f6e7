/// A share of a cursor that a connection holds, or waits for: the events that were delivered and are not done.
///
/// The engine, the subscription that delivers and the list of shares have the same one. Unchecked `Sendable`: it belongs to
/// the thread of the loop.
package final class Holding: @unchecked Sendable {
    /// An event that was delivered and is not done.
    private struct Delivered {
        let position: Position
        let bytes: Int
    }

    /// The reason why the share is not held any more.
    package enum End: Equatable, Sendable {
        /// The subscription was ended by its connection, or with it; `isBlamed`: the oldest event that is not done counts as
        /// failed.
        case released(isBlamed: Bool)
        /// The store takes it away, and the subscription ends with a push.
        case taken(EndReason)
        /// The reply that it began with was undone, so that its connection does not know of it.
        case unsaid
    }

    /// The name of the cursor.
    package let cursor: Identifier
    /// The number of shares that the cursor has.
    package let shareCount: Int
    /// The number of the share, from 1; nil while it waits for one.
    package private(set) var number: UInt8?
    /// The number of the share that it waits for; nil: any.
    package let wanted: UInt8?
    /// The process that holds it.
    package let holder: Peer
    /// The time since when it is held, or waits.
    package private(set) var since: Instant
    /// The number of events that may be delivered and not done.
    package var window: Int
    /// The time without a line after which it is lost, in ticks of 0.1 s.
    package var lease: UInt64
    /// The position that every event through it is done at, durable or not; zero while it waits.
    package private(set) var at = Position.zero
    /// The end; nil while it is held.
    package private(set) var end: End?
    /// The event that comes alone next.
    package private(set) var again: Redelivery?
    /// The event that came alone and is neither done nor parked.
    package private(set) var alone: Redelivery?
    /// The tick before which nothing is delivered.
    package private(set) var due: UInt64 = 0
    /// The tick at which the oldest of the events was delivered that are not done.
    package private(set) var busySince: UInt64 = 0
    /// True where nothing can be delivered before an event is done, a delay has ended, or it is held again.
    package private(set) var isStalled = false
    /// The event that the reply rests on which it began with; nothing is delivered before that is durable.
    package var restsOn = Position.zero
    /// True where it waited for a share and has one now, which its connection does not know.
    package private(set) var isUntold = false
    /// The last position that was looked at for events to deliver.
    package var looked = Position.zero
    /// The position that delivery goes back to; nil where it goes on.
    private var back: Position?
    private var delivered: [Delivered] = []
    private var bytes = 0

    /// The size that a holding keeps, in bytes, estimated.
    package static let keptBytes = 512

    /// Creates a holding that waits for a share.
    ///
    /// - Parameter wanted: the number of the share that it waits for; nil: any.
    package init(
        _ cursor: Identifier, _ definition: CursorDefinition, wanted: UInt8? = nil, by holder: Peer, since: Instant
    ) {
        (self.cursor, self.wanted, self.holder, self.since) = (cursor, wanted, holder, since)
        (shareCount, window) = (definition.shareCount, definition.window)
        lease = Holding.ticks(milliseconds: definition.lease)
    }

    /// Takes a share, whose events behind a position are delivered from now on.
    ///
    /// - Parameters:
    ///   - again: the event that comes alone first.
    ///   - isUntold: true where a push reports the share to the connection.
    package func takes(
        _ number: UInt8, at: Position, since: Instant, again: Redelivery?, isUntold: Bool = false
    ) {
        (self.number, self.at, self.since, self.again, self.isUntold) = (number, at, since, again, isUntold)
        (back, isStalled) = (isUntold ? at.next : nil, false)
    }

    /// Notes that the connection knows its share.
    package func told() { isUntold = false }

    /// Returns the number of ticks of 0.1 s in a time.
    package static func ticks(milliseconds: Int) -> UInt64 { UInt64(max(milliseconds, 0)) / 100 + 1 }

    /// Takes over what a definition may change.
    package func redefined(_ definition: CursorDefinition) {
        (window, lease) = (definition.window, Holding.ticks(milliseconds: definition.lease))
    }

    // MARK: State

    /// The number of events that were delivered and are not done.
    package var outstanding: Int { delivered.count }
    /// The position of the oldest of them.
    package var oldest: Position? { delivered.first?.position }
    /// True until it ends.
    package var isHeld: Bool { end == nil }
    /// True while it waits for a share.
    package var isWaiting: Bool { number == nil && end == nil }
    /// The share; nil while it waits for one.
    package var share: CursorShare? { number.map { CursorShare(cursor, $0) } }
    /// True while no further event is delivered.
    package var isFull: Bool {
        alone != nil || delivered.count >= window || !delivered.isEmpty && bytes >= CursorDefinition.windowBytes
    }

    /// Returns true once the delay has ended after which it delivers again.
    package func isDue(at tick: UInt64) -> Bool { again != nil && due > 0 && due <= tick }

    /// Returns true for an event that was delivered and is not done.
    package func hasDelivered(_ event: Position) -> Bool {
        let index = delivered.indices.partitionPoint { delivered[$0].position < event }
        return index < delivered.count && delivered[index].position == event
    }

    // MARK: Changes

    /// Notes that an event was delivered, at a tick.
    package func delivered(_ event: Position, bytes: Int, at tick: UInt64) {
        if delivered.isEmpty { busySince = tick }
        delivered.append(Delivered(position: event, bytes: bytes))
        self.bytes += bytes
        guard let again, again.event == event else { return }
        (alone, self.again) = (again, nil)
    }

    /// Notes that nothing can be delivered now.
    package func stalls() { isStalled = true }

    /// Notes that the delay has ended.
    package func goesOn() { isStalled = false }

    /// Announces an event that comes alone, once all others are done.
    package func announce(_ again: Redelivery) { self.again = again }

    /// Withdraws the announced event, which does not come any more.
    package func withdraw() { again = nil }

    /// Notes that an event is done, and all that were delivered before it.
    ///
    /// - Parameter tick: the present tick.
    package func done(through event: Position, at tick: UInt64) {
        let count = delivered.indices.partitionPoint { delivered[$0].position <= event }
        bytes -= delivered.prefix(count).reduce(0) { $0 + $1.bytes }
        delivered.removeFirst(count)
        busySince = tick
        if let alone, alone.event <= event { self.alone = nil }
        (at, isStalled) = (max(at, event), false)
    }

    /// Begins again behind the events that are done: later ones that were delivered are void.
    ///
    /// - Parameters:
    ///   - again: the event that comes alone first.
    ///   - due: the tick before which nothing is delivered.
    package func beginAgain(with again: Redelivery?, due: UInt64) {
        (delivered, bytes, alone, isStalled) = ([], 0, nil, false)
        (self.again, self.due, back) = (again, due, at.next)
    }

    /// Takes the position that delivery goes back to; nil where it goes on.
    package func takeBack() -> Position? {
        defer { back = nil }
        return back
    }

    /// Ends it, unless it has ended.
    package func ended(_ end: End) {
        if self.end == nil { self.end = end }
        if end == .unsaid { restsOn = .max }
    }
}

extension Holding: Equatable {
    package static func == (left: Holding, right: Holding) -> Bool { left === right }
}

extension EndReason {
    /// The lease of the share ran out.
    package static let lease = EndReason("lease")
    /// A move of the cursor was undone.
    package static let undone = EndReason("undone")
    /// Another node leads.
    package static let lead = EndReason("lead")
    /// The cursor was dropped.
    package static let dropped = EndReason("dropped")

    /// True where a worker that ends so counts as failed at the event that it had not done.
    package var isBlamed: Bool { ![.draining, .quit, .undefined, .undone, .lead, .dropped].contains(self) }
}
