import StoryCore
import StoryEngine
import StoryFold
import StoryWire

/// The pushes to subscriptions of rows and lists: the list as it is durable, then the changes of the feed.
///
/// Each change is encoded once for all subscriptions. Of several changes of a row that wait for a subscription it is
/// sent the last one.
struct RowPushes {
    private let watcher: RowWatcher
    private let encoder: RowPushEncoder

    init(_ watcher: RowWatcher, _ encoder: RowPushEncoder) { (self.watcher, self.encoder) = (watcher, encoder) }

    private var feed: ChangeFeed { watcher.feed }

    /// True while no row can be shown as it is durable.
    var isUntold: Bool { feed.isUntold }

    /// Returns false when changes that the subscription has not taken are no longer in the feed.
    func isKept(_ subscription: Subscription) -> Bool {
        guard let range = subscription.feed else { return true }
        return (range.isTaken ? range.end : range.start) >= feed.durable.first
    }

    // MARK: Lists

    /// Shows the durable rows behind a key, until all are shown or room or budget is spent. All durable changes must
    /// have been taken.
    ///
    /// - Throws: the error of reading.
    func list(
        _ subscription: inout Subscription, after key: [UInt8]?, durable: Position, to lines: LineWriter
    ) throws(StorageError) {
        if subscription.feed == nil { subscription.feed = FeedRange(from: feed.durable.end, to: feed.durable.end) }
        switch subscription.subject {
        case .events, .records, .work: subscription.listingEnded()
        case .row(let kind, let key):
            let row = try watcher.row(kind, key, charging: lines)
            lines.push(state(row, at: durable), to: subscription.id)
            subscription.listingEnded()
            subscription.sent(through: durable)
        case .list(let kind, let conditions):
            var follower = subscription
            defer { subscription = follower }
            let isWhole = try watcher.list(kind, conditions, after: key, charging: lines) { row, key in
                if let row { lines.push(row.withView { encoder.row($0) }, to: follower.id) }
                follower.listed(through: key)
                return lines.hasRoom
            }
            guard isWhole else { return }
            follower.listingEnded()
            follower.sent(through: durable)
        }
    }

    // MARK: Changes

    /// Sends the durable changes that the subscription has not taken, as far as room and budget permit.
    ///
    /// - Returns: true when it has taken all of them.
    func take(_ subscription: inout Subscription, to lines: LineWriter) -> Bool {
        guard var range = subscription.feed else { return true }
        defer { subscription.feed = range }
        while true {
            if range.isTaken {
                guard range.end < feed.durable.end else { return true }
                range = FeedRange(from: range.end, to: feed.durable.end)
            }
            while !range.isTaken {
                guard lines.hasRoom, !lines.isSpent else { return false }
                let change = feed.durable[range.next]
                range.next += 1
                lines.spend(.record)
                if let json = self.json(of: change, in: range, for: subscription, charging: lines) {
                    lines.push(json, to: subscription.id)
                }
                // One event may change several rows: it is sent once all of its changes are.
                let isWhole = range.isTaken || feed.durable[range.next].position > change.position
                subscription.sent(through: isWhole ? change.position : change.position.previous)
            }
        }
    }

    /// Returns the push of a change; nil where it does not concern the subscription, or a later one in the range does.
    private func json(
        of change: DurableChange, in range: FeedRange, for subscription: Subscription, charging lines: LineWriter
    ) -> [UInt8]? {
        guard subscription.subject.concerns(change), change.next.map({ $0 >= range.end }) ?? true else { return nil }
        let before = self.before(change, in: range, charging: lines)
        switch subscription.subject {
        case .events, .records, .work: return nil
        case .row: return change.after == nil && before == nil ? nil : shown(change)
        case .list(_, let conditions):
            if isListed(change.after, conditions, subscription) { return shown(change) }
            guard isListed(before, conditions, subscription) else { return nil }
            // A row that an event moved behind the listed ones is listed again there.
            let isMoved = change.after?.withView { conditions.match($0) } ?? false
            if isMoved { return shown(change) }
            return RowPushEncoder.removed(change.key, change.schema.keys, at: change.position)
        }
    }

    /// Returns the row before its first change in the range.
    private func before(_ change: DurableChange, in range: FeedRange, charging lines: LineWriter) -> RowCopy? {
        var first = change
        while let previous = first.previous, previous >= range.start {
            first = feed.durable[previous]
            lines.spend(.link)
        }
        return first.before
    }

    private func isListed(_ row: RowCopy?, _ conditions: [Condition], _ subscription: Subscription) -> Bool {
        row?.withView { row in
            guard conditions.match(row) else { return false }
            guard case .listing = subscription.phase else { return true }
            return subscription.hasListed(watcher.key(of: row, conditions))
        } ?? false
    }

    private func shown(_ change: DurableChange) -> [UInt8] {
        if let json = change.push { return json }
        let json = state(change.after, at: change.position)
        feed.keep(json, of: change)
        return json
    }

    /// Returns the push of a row's state; nil: there is no row at this position.
    private func state(_ row: RowCopy?, at position: Position) -> [UInt8] {
        row?.withView { encoder.row($0) } ?? RowPushEncoder.absent(at: position)
    }
}

extension Subject {
    /// Returns true when a change is one of the row, or of a row of the kind, that is followed.
    fileprivate func concerns(_ change: DurableChange) -> Bool {
        switch self {
        case .events, .records, .work: false
        case .row(let kind, let key):
            change.schema.kind == kind
                && key.spelling.withUnsafeBytes { key in change.key.withUnsafeBytes { $0.equals(key) } }
        case .list(let kind, _): change.schema.kind == kind
        }
    }
}
