import StoryCore
import StoryEngine
import StoryLog
import StoryReactor

/// The row of a connection that `CLIENTS` tells. All of it rests on events that are durable.
struct ClientReport {
    /// Of more subscriptions the slowest are told.
    static let fewSubscriptions = 16
    /// The same of a client that is asked for by its number.
    static let mostSubscriptions = 1_000

    let connection: Connection
    /// The last event that those who follow were shown.
    let published: Position
    let tick: UInt64
    /// Bytes that the client has not taken.
    let waiting: Int
    let subscriptionLimit: Int

    var members: [Member] {
        let (client, peer) = (connection.client, connection.session.peer)
        var members = [
            Member("client", .count(client.number)), Member("uid", .count(UInt64(peer.uid))),
            Member("pid", .count(UInt64(clamping: client.pid))), Member("role", .text(peer.role.name)),
            Member("since", .text(client.since.text)), Member("idle", .number(idleSeconds)),
            Member("requests", .count(client.requests)), Member("errors", .count(client.errors)),
            Member("received", .count(client.received)), Member("sent", .count(client.sent)),
            Member("waiting", .count(UInt64(clamping: waiting))),
        ]
        if let verb = client.verb { members.append(Member("verb", .text(verb.rawValue))) }
        return members + subscriptions
    }

    private var idleSeconds: Double {
        let last = max(connection.activity.lastLine, connection.client.beganTick)
        return Double(tick - min(last, tick)) / 10
    }

    private var subscriptions: [Member] {
        let session = connection.session
        let slowest = session.slowestSubscriptions(subscriptionLimit, published: published)
        let members = [Member("subscriptions", .list(slowest.map(told)))]
        let more = session.subscriptionCount - slowest.count
        return more > 0 ? members + [Member("more", .count(UInt64(more)))] : members
    }

    private func told(_ subscription: Subscription) -> MemberValue {
        .object([
            Member("subscription", .count(subscription.id.value)), Member("target", .text(target(of: subscription))),
            Member("next", .count(subscription.next.value)),
            Member("lag", .count(subscription.lag(head: published))), Member("phase", .text(subscription.phase.name)),
        ])
    }

    /// The target as it was asked for, without filters.
    private func target(of subscription: Subscription) -> String {
        switch subscription.subject {
        case .events:
            switch subscription.selection.source {
            case .all: "events"
            case .stream(let name): "events/\(name)"
            case .category(let name): "events/\(name)-*"
            }
        case .row(let kind, let id): "\(Catalogue.standard[kind].name)/\(id)"
        case .list(let kind, _): Catalogue.standard[kind].name
        }
    }
}

extension Subscription.Phase {
    fileprivate var name: String {
        switch self {
        case .listing: "listing"
        case .catchingUp: "catchingUp"
        case .live: "live"
        case .behind: "behind"
        }
    }
}

/// An answer that tells of the connections, a few at a time.
final class ClientList: AnswerCursor {
    private let connections: Connections
    private let outbox: Outbox
    private let publishing: Publishing
    private let driver: TurnDriver
    private let subscriptionLimit: Int
    private let head: () -> Position
    private var walk: ConnectionWalk
    private var count: UInt64 = 0

    /// - Parameters:
    ///   - all: the connections to tell of, by their numbers.
    ///   - subscriptionLimit: how many subscriptions of each are told.
    ///   - head: the last event that is folded.
    init(
        _ all: ConnectionWalk, of connections: Connections, _ outbox: Outbox, _ publishing: Publishing,
        _ driver: TurnDriver, subscriptionLimit: Int, head: @escaping () -> Position
    ) {
        walk = all
        self.connections = connections
        self.outbox = outbox
        self.publishing = publishing
        self.driver = driver
        self.subscriptionLimit = subscriptionLimit
        self.head = head
    }

    func step(_ budget: inout Budget, into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while lines.hasRoom, !budget.isSpent {
            guard let connection = walk.next(of: connections) else {
                let done = [Member("count", .count(count)), Member("position", .count(head().value))]
                return .ended(.done(.members(done)), restsOn: head())
            }
            let report = ClientReport(
                connection: connection, published: publishing.published, tick: driver.tick,
                waiting: outbox.waitingCount(connection), subscriptionLimit: subscriptionLimit)
            let before = lines.count
            lines.row(.line(report.members))
            budget.look(at: 8 + connection.session.subscriptionCount / 8)
            budget.write(lines.count - before)
            count += 1
        }
        return .more
    }
}
