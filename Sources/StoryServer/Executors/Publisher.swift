import StoryCore
import StoryLog
import StoryModels
import StoryWire

/// Sends a subscription what the log holds for it, as far as there is room.
struct Publisher {
    /// Where fewer events than this lie ahead, they are looked at one by one; otherwise an index tells which match.
    static let shortDistance: UInt64 = 1_024
    /// So many records are looked at in one go.
    static let recordsPerGo = 20_000

    let log: any EventLog
    let store: any ModelStore

    /// Answers true when there is more to send than there was room for.
    func publish(
        _ subscription: inout Subscription, head: Position, _ output: inout [UInt8], until size: Int
    ) throws(StorageError) -> Bool {
        while true {
            switch subscription.step(head: head, hasRoom: output.count < size) {
            case .wait: return subscription.lag(head: head) > 0
            case .sayCaughtUp(let position):
                ReplyEncoder.append(.caughtUp(position), subscription: subscription.id, to: &output)
            case .sayBehind(let count):
                ReplyEncoder.append(.behind(count), subscription: subscription.id, to: &output)
            case .send(let from, let through):
                try send(&subscription, from, through, &output, until: size)
                if output.count < size, subscription.next <= through { return true }
            }
        }
    }

    private func send(
        _ subscription: inout Subscription, _ from: Position, _ through: Position, _ output: inout [UInt8],
        until size: Int
    ) throws(StorageError) {
        let isFar = through.value - from.value >= Publisher.shortDistance
        guard isFar, let positions = indexed(subscription.selection.source, from, through) else {
            return try sendScanned(&subscription, from, through, &output, until: size)
        }
        var follower = subscription
        // Also when a record cannot be read: what was pushed before it is pushed.
        defer { subscription = follower }
        try log.records(at: positions) { record in
            guard output.count < size else { return false }
            push(record, follower, &output)
            follower.sent(through: record.position)
            return true
        }
        if output.count < size, positions.count < Publisher.recordsPerGo { follower.sent(through: through) }
    }

    private func sendScanned(
        _ subscription: inout Subscription, _ from: Position, _ through: Position, _ output: inout [UInt8],
        until size: Int
    ) throws(StorageError) {
        var follower = subscription
        defer { subscription = follower }
        var looked = 0
        try log.scan(from: from, through: through, order: .ascending) { record in
            guard output.count < size, looked < Publisher.recordsPerGo else { return false }
            looked += 1
            push(record, follower, &output)
            follower.sent(through: record.position)
            return true
        }
    }

    private func push(_ record: EventRecord, _ subscription: Subscription, _ output: inout [UInt8]) {
        guard subscription.selection.matches(record) else { return }
        ReplyEncoder.appendPush(record.json, subscription: subscription.id, to: &output)
    }

    /// The positions that an index knows between two others; nil where only looking helps.
    private func indexed(_ source: EventSelection.Source, _ from: Position, _ through: Position) -> [Position]? {
        var positions: [Position] = []
        func add(_ position: Position) -> Bool {
            positions.append(position)
            return positions.count < Publisher.recordsPerGo
        }
        switch source {
        case .all: return nil
        case .stream(let name):
            guard let head = StreamsModel.head(of: name, in: store) else { return [] }
            let first = firstVersion(of: head, from)
            StreamsModel.scanVersions(of: head.number, from: first, through: head.version, .ascending, in: store) {
                $1 <= through && add($1)
            }
        case .category(let name):
            guard let number = StreamsModel.number(of: name, in: store) else { return [] }
            StreamsModel.scanCategory(number, from: from, through: through, .ascending, in: store, add)
        }
        return positions
    }

    /// The first version that lies at a position or after it: versions and positions grow together.
    private func firstVersion(of head: StreamsModel.Head, _ position: Position) -> Version {
        var low: UInt64 = 1
        var high = head.version.value + 1
        while low < high {
            let middle = low + (high - low) / 2
            let place = StreamsModel.position(of: Version(middle), in: head.number, store) ?? head.position
            if place < position { low = middle + 1 } else { high = middle }
        }
        return Version(low)
    }
}
