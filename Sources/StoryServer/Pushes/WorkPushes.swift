import StoryCore
import StoryEngine
import StoryFold
import StoryLog
import StoryWire

/// The deliveries to the holders of cursors that come alone: an event that failed before, or one that was parked.
struct WorkPushes {
    private let log: any EventLog
    private let cursors: CursorTable
    let shares: Shares

    init(_ log: any EventLog, cursors: CursorTable, shares: Shares) {
        (self.log, self.cursors, self.shares) = (log, cursors, shares)
    }

    /// Delivers an event that comes alone, where it is its turn.
    ///
    /// - Returns: true where the events behind may be delivered.
    /// - Throws: the error of reading the log or the models.
    func begin(
        _ holding: Holding, _ subscription: inout Subscription, head: Position, to lines: LineWriter
    ) throws(StorageError) -> Bool {
        guard let share = holding.share, holding.isHeld, holding.due <= shares.tick else {
            holding.stalls()
            return false
        }
        guard holding.restsOn <= head else { return false }
        if holding.isUntold {
            guard lines.hasRoom else { return false }
            let place = CursorPlace(share: share.number, at: holding.at)
            lines.push(.granted(place, of: holding.shareCount), to: subscription.id)
            holding.told()
        }
        if let back = holding.takeBack() { subscription.goesBack(to: back) }
        guard holding.alone == nil else { return false }
        if holding.again == nil, try cursors.share(share)?.retried ?? 0 > 0, let parked = try next(of: share) {
            holding.announce(Redelivery(event: parked, attempt: 1, isParked: true))
        }
        guard let again = holding.again else { return !holding.isFull }
        guard holding.outstanding == 0, again.event <= head else {
            holding.stalls()
            return false
        }
        // It may have been given up after it was announced.
        if again.isParked, try cursors.parked(again.event, of: share.cursor)?.isRetried != true {
            holding.withdraw()
            return !holding.isFull
        }
        guard lines.hasRoom, !lines.isSpent else { return false }
        var isDelivered = false
        try log.records(at: [again.event]) { record in
            lines.push(.redelivered(again), to: subscription.id)
            lines.push(record, to: subscription.id)
            holding.delivered(again.event, bytes: record.json.count, at: shares.tick)
            isDelivered = true
            return false
        }
        lines.spend(.record)
        guard isDelivered else { throw .corrupt("there is no event", at: again.event) }
        shares.redeliveries += 1
        if !again.isParked { subscription.sent(through: again.event) }
        return false
    }

    /// Returns the position that the next holder of a cursor begins at: a move of the last one may have been undone.
    func resume(of subscription: Subscription) -> Position {
        guard let share = subscription.subject.holding?.share else { return subscription.resume }
        do throws(StorageError) {
            return try cursors.share(share)?.at.next ?? subscription.resume
        } catch {
            return subscription.resume
        }
    }

    /// Returns the first parked event of a share that is to be delivered again.
    private func next(of share: CursorShare) throws(StorageError) -> Position? {
        var found: Position?
        try cursors.parked(of: share.cursor, after: .zero) { parked in
            if parked.isRetried, parked.share == share.number { found = parked.event }
            return found == nil
        }
        return found
    }

    /// Returns true for an event of the share: those of cursors are for nobody.
    static func delivers(_ record: EventRecord, to holding: Holding) -> Bool {
        CursorEvent.name(ofStream: record.streamName) == nil
            && CursorShare.number(of: record.streamName, among: holding.shareCount) == holding.number
    }
}
