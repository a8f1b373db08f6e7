import StoryCore
import StoryEngine
import StoryFold
import StoryLog
import StoryWire

/// The pushes to subscriptions: events of the log, or changes of rows, as far as room and budget permit.
struct SubscriptionPushes {
    /// The size of the records of one push, in bytes, unless a single one is larger.
    private static let bytesOfRecords = 49_152
    /// The number of events ahead from which on an index finds the matches; fewer are scanned one by one.
    static let shortDistance: UInt64 = 1_024

    let log: any EventLog
    let index: StreamIndex
    let rows: RowPushes
    let work: WorkPushes

    /// Sends the next events; returns true when there are more.
    ///
    /// - Throws: the error of reading the log or the models; the subscription then resumes after the last event sent.
    func publish(_ subscription: inout Subscription, head: Position, to lines: LineWriter) throws(StorageError) -> Bool
    {
        // Rows are shown as they are durable, which is not known of those that a long fold has changed.
        guard subscription.subject.isEvents || !rows.isUntold else { return false }
        if let holding = subscription.subject.holding {
            guard try work.begin(holding, &subscription, head: head, to: lines) else { return false }
        }
        while true {
            switch subscription.step(head: head, hasRoom: lines.hasRoom) {
            case .wait: return subscription.isWanting(head: head)
            case .list(let key):
                guard !lines.isSpent else { return true }
                guard takeChanges(&subscription, head, to: lines), lines.hasRoom, !lines.isSpent else { continue }
                try rows.list(&subscription, after: key, durable: head, to: lines)
            case .sayCaughtUp(let position):
                lines.push(.caughtUp(position), to: subscription.id)
            case .sayBehind(let count):
                lines.push(.behind(count), to: subscription.id)
            case .send(let from, let through):
                guard !lines.isSpent else { return true }
                if subscription.subject.holding?.isFull == true { return false }
                guard subscription.subject.isEvents else {
                    if takeChanges(&subscription, head, to: lines) { subscription.sent(through: head) }
                    continue
                }
                if subscription.subject == .records {
                    try sendRecords(&subscription, from: from, through: through, to: lines)
                } else {
                    try send(&subscription, from: from, through: through, to: lines)
                }
            }
        }
    }

    /// Sends the next records as they are, as many as one push has.
    private func sendRecords(
        _ subscription: inout Subscription, from: Position, through: Position, to lines: LineWriter
    ) throws(StorageError) {
        var records = RawRecords(from: from)
        defer {
            if records.count > 0 {
                lines.push(records, head: through, to: subscription.id)
                subscription.sent(through: Position(from.value + UInt64(records.count) - 1))
            }
        }
        try log.scanRecords(from: from, through: through) { _, bytes in
            guard records.count == 0 || records.bytes.count + bytes.count <= SubscriptionPushes.bytesOfRecords,
                !lines.isSpent
            else { return false }
            lines.spend(.record)
            records.add(bytes)
            return true
        }
    }

    /// Sends the row changes that the subscription has not taken; its list begins again where the feed lacks some.
    ///
    /// - Returns: true when it has taken all of them.
    private func takeChanges(_ subscription: inout Subscription, _ head: Position, to lines: LineWriter) -> Bool {
        if rows.isKept(subscription) { return rows.take(&subscription, to: lines) }
        subscription.listsAgain()
        lines.push(.again(head), to: subscription.id)
        return false
    }

    private func send(
        _ subscription: inout Subscription, from: Position, through: Position, to lines: LineWriter
    ) throws(StorageError) {
        let isFar = through.value - from.value >= SubscriptionPushes.shortDistance
        let selection = isFar ? subscription.selection : EventSelection(source: .all)
        var cursor = try LogCursor(selection, from: from, through: through, log: log, index: index)
        // It is charged with the first step, so that each go has one.
        var began = (selection.source == .all ? .zero : .key) + (isFar ? selection.query.items.count * .search : .zero)
        var follower = subscription
        let (holding, tick) = (subscription.subject.holding, work.shares.tick)
        var isStopped = false
        // Also where a record cannot be read: the events before it were pushed.
        defer {
            subscription = follower
            holding?.looked = follower.next.previous
        }
        do throws(StorageError) {
            // A new cursor would search again for what this one has found ahead.
            repeat {
                let work = try cursor.step(atMost: lines.workLeft.count(of: subscription.selection.recordWork) + 1) {
                    record, _, _ in
                    isStopped = !lines.hasRoom || lines.isSpent || holding?.isFull == true
                    guard !isStopped else { return false }
                    lines.spend(follower.selection.recordWork)
                    let isItsShare = holding.map { WorkPushes.delivers(record, to: $0) } ?? true
                    if isItsShare, follower.selection.matches(record) {
                        lines.push(record, to: follower.id)
                        holding?.delivered(record.position, bytes: record.json.count, at: tick)
                    }
                    follower.sent(through: record.position)
                    return true
                }
                lines.spend(began + work)
                began = .zero
            } while !isStopped && !cursor.isAtEnd && !lines.isSpent
        } catch {
            // Everything before the unreadable record was sent, so the subscription resumes there.
            if let unread = cursor.unread { follower.sent(through: unread.previous) }
            throw error
        }
        if cursor.isAtEnd {
            follower.sent(through: through)
        } else if let visited = cursor.visitedThrough {
            follower.sent(through: visited)
        }
    }
}
