import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryWire

/// A cursor that sends a subscription its events from the log, as far as room and budget permit.
struct LogCursor {
    /// The number of events ahead from which on an index finds the matches; fewer are scanned one by one.
    static let shortDistance: UInt64 = 1_024
    /// The number of index entries to collect before their records are read.
    private static let batchCount = 512

    let log: any EventLog
    let index: StreamIndex
    let rows: RowPushes

    /// Sends the next events; returns true when there are more.
    ///
    /// - Throws: the error of reading the log or the models; the subscription then resumes after the last event sent.
    func publish(
        _ subscription: inout Subscription, head: Position, _ output: inout [UInt8], until size: Int,
        _ budget: inout Budget
    ) throws(StorageError) -> Bool {
        while true {
            switch subscription.step(head: head, hasRoom: output.count < size) {
            case .wait: return subscription.isWanting(head: head)
            case .list(let key):
                guard !budget.isSpent else { return true }
                try rows.list(&subscription, after: key, head, &output, until: size, &budget)
            case .sayCaughtUp(let position):
                ReplyEncoder.append(.caughtUp(position), subscription: subscription.id, to: &output)
            case .sayBehind(let count):
                ReplyEncoder.append(.behind(count), subscription: subscription.id, to: &output)
            case .send(let from, let through):
                guard !budget.isSpent else { return true }
                try send(&subscription, from, through, head, &output, until: size, &budget)
            }
        }
    }

    private func send(
        _ subscription: inout Subscription, _ from: Position, _ through: Position, _ head: Position,
        _ output: inout [UInt8], until size: Int, _ budget: inout Budget
    ) throws(StorageError) {
        let isFar = through.value - from.value >= LogCursor.shortDistance
        let limit = min(LogCursor.batchCount, budget.units)
        guard isFar, let positions = try indexed(subscription.selection.source, from, through, limit) else {
            return try sendScanned(&subscription, from, through, head, &output, until: size, &budget)
        }
        budget.skip()
        var follower = subscription
        // Also where a record cannot be read: the events before it were pushed.
        defer { subscription = follower }
        var looked = 0
        var failure: StorageError?
        do throws(StorageError) {
            try log.records(at: positions) { record in
                guard output.count < size, !budget.isSpent else { return false }
                switch push(record, head, &follower, &output, &budget) {
                case .success(let isDone):
                    looked += isDone ? 1 : 0
                    return isDone
                case .failure(let error):
                    failure = error
                    return false
                }
            }
        } catch {
            // Everything before the unreadable record was sent, so the subscription resumes there.
            if looked < positions.count { follower.sent(through: positions[looked].previous) }
            throw error
        }
        if let failure { throw failure }
        if looked == positions.count, positions.count < limit { follower.sent(through: through) }
    }

    private func sendScanned(
        _ subscription: inout Subscription, _ from: Position, _ through: Position, _ head: Position,
        _ output: inout [UInt8], until size: Int, _ budget: inout Budget
    ) throws(StorageError) {
        var follower = subscription
        defer { subscription = follower }
        var failure: StorageError?
        try log.scan(from: from, through: through, order: .ascending) { record in
            guard output.count < size, !budget.isSpent else { return false }
            switch push(record, head, &follower, &output, &budget) {
            case .success(let isDone): return isDone
            case .failure(let error):
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Pushes one event; returns false where the budget was spent too early, and the event has to come again.
    private func push(
        _ record: EventRecord, _ head: Position, _ subscription: inout Subscription, _ output: inout [UInt8],
        _ budget: inout Budget
    ) -> Result<Bool, StorageError> {
        budget.look()
        if subscription.selection.matches(record) {
            switch subscription.subject {
            case .events:
                let before = output.count
                ReplyEncoder.appendPush(record, subscription: subscription.id, to: &output)
                budget.write(output.count - before)
            case .row, .list:
                do throws(StorageError) {
                    guard try rows.push(record, head, &subscription, &output, &budget) else { return .success(false) }
                } catch {
                    return .failure(error)
                }
            }
        }
        subscription.sent(through: record.position)
        return .success(true)
    }

    /// Returns up to `limit` positions between two others from an index; nil where only a scan finds them.
    private func indexed(
        _ source: EventSelection.Source, _ from: Position, _ through: Position, _ limit: Int
    ) throws(StorageError) -> [Position]? {
        var positions: [Position] = []
        func add(_ position: Position) -> Bool {
            positions.append(position)
            return positions.count < limit
        }
        switch source {
        case .all: return nil
        case .stream(let name):
            guard let head = try index.head(of: name) else { break }
            let first = try index.version(atOrAfter: from, in: head)
            try index.scanVersions(of: head, from: first, through: head.version, .ascending) {
                $1 <= through && add($1)
            }
        case .category(let name):
            guard let number = try index.number(of: name) else { break }
            try index.scanCategory(number, from: from, through: through, .ascending, add)
        }
        return positions
    }
}
