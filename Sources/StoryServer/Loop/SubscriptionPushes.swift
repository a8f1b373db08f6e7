import StoryCore
import StoryEngine
import StoryModels
import StoryWire

/// The pushes to subscriptions: events of the log, or changes of rows, as far as room and budget permit.
struct SubscriptionPushes {
    /// The number of events ahead from which on an index finds the matches; fewer are scanned one by one.
    static let shortDistance: UInt64 = 1_024

    let log: any EventLogReading
    let index: StreamIndex
    let rows: RowPushes

    /// Sends the next events; returns true when there are more.
    ///
    /// - Throws: the error of reading the log or the models; the subscription then resumes after the last event sent.
    func publish(
        _ subscription: inout Subscription, head: Position, _ output: inout ByteWriter, until size: Int,
        _ budget: inout Budget
    ) throws(StorageError) -> Bool {
        while true {
            switch subscription.step(head: head, hasRoom: output.count < size) {
            case .wait: return subscription.isWanting(head: head)
            case .list(let key):
                guard !budget.isSpent else { return true }
                guard takeChanges(&subscription, head, &output, until: size, &budget), output.count < size,
                    !budget.isSpent
                else { continue }
                try rows.list(&subscription, after: key, head, &output, until: size, &budget)
            case .sayCaughtUp(let position):
                ReplyEncoder.append(.caughtUp(position), subscription: subscription.id, to: &output)
            case .sayBehind(let count):
                ReplyEncoder.append(.behind(count), subscription: subscription.id, to: &output)
            case .send(let from, let through):
                guard !budget.isSpent else { return true }
                guard subscription.subject.isEvents else {
                    if takeChanges(&subscription, head, &output, until: size, &budget) {
                        subscription.sent(through: head)
                    }
                    continue
                }
                try send(&subscription, from, through, head, &output, until: size, &budget)
            }
        }
    }

    /// Sends the row changes that the subscription has not taken; its list begins again where the feed lacks some.
    ///
    /// - Returns: true when it has taken all of them.
    private func takeChanges(
        _ subscription: inout Subscription, _ head: Position, _ output: inout ByteWriter, until size: Int,
        _ budget: inout Budget
    ) -> Bool {
        if rows.isKept(subscription) { return rows.take(&subscription, &output, until: size, &budget) }
        subscription.listsAgain()
        ReplyEncoder.append(.again(head), subscription: subscription.id, to: &output)
        return false
    }

    private func send(
        _ subscription: inout Subscription, _ from: Position, _ through: Position, _ head: Position,
        _ output: inout ByteWriter, until size: Int, _ budget: inout Budget
    ) throws(StorageError) {
        let isFar = through.value - from.value >= SubscriptionPushes.shortDistance
        let source = isFar ? subscription.selection.source : .all
        var cursor = try LogCursor(source, from: from, through: through, log: log, index: index)
        let limit = budget.units
        if source != .all { budget.skip() }
        var follower = subscription
        // Also where a record cannot be read: the events before it were pushed.
        defer { subscription = follower }
        do throws(StorageError) {
            try cursor.step(atMost: limit) { record, _, _ in
                guard output.count < size, !budget.isSpent else { return false }
                push(record, &follower, &output, &budget)
                return true
            }
        } catch {
            // Everything before the unreadable record was sent, so the subscription resumes there.
            if let unread = cursor.unread { follower.sent(through: unread.previous) }
            throw error
        }
        if cursor.isAtEnd { follower.sent(through: through) }
    }

    /// Pushes an event if it is selected.
    private func push(
        _ record: EventRecord, _ subscription: inout Subscription, _ output: inout ByteWriter, _ budget: inout Budget
    ) {
        budget.look()
        if subscription.selection.matches(record) {
            let before = output.count
            ReplyEncoder.appendPush(record, subscription: subscription.id, to: &output)
            budget.write(output.count - before)
        }
        subscription.sent(through: record.position)
    }
}
