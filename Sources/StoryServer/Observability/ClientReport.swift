import StoryCore
import StoryEngine
import StoryLog
import StoryReactor

/// A row of the answer to `CLIENTS`: one connection. All of it depends on durable events only.
struct ClientReport {
    /// The maximum number of subscriptions in a row; the slowest are listed.
    static let fewSubscriptions = 16
    /// The maximum for a client that is asked for by its number.
    static let mostSubscriptions = 1_000

    let connection: Connection
    /// The last event that was pushed to followers.
    let published: Position
    let tick: UInt64
    /// The bytes that the client has not read.
    let waiting: Int
    let subscriptionLimit: Int
    /// Returns the schema of a kind whose rows are followed.
    let schema: (Kind) -> KindSchema?

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
        if let certificate = client.certificate {
            members.append(Member("certificate", .text(certificate.name ?? "")))
            members.append(Member("from", .text(certificate.from)))
        }
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

    /// Returns the target of a subscription as it was asked for, without filters.
    private func target(of subscription: Subscription) -> String {
        switch subscription.subject {
        case .events:
            switch subscription.selection.source {
            case .all: "events"
            case .stream(let name): "events/\(name)"
            case .category(let name): "events/\(name)-*"
            }
        case .records: "records"
        case .row(let kind, let key): schema(kind)?.address(key) ?? ""
        case .list(let kind, _): schema(kind)?.name ?? ""
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
        case .held: "held"
        }
    }
}

/// The answer to `CLIENTS`: the connections, a few per step.
final class ClientList: AnswerCursor {
    private let connections: Connections
    private let outbox: Outbox
    private let publishing: PushScheduler
    private let driver: CommitDriver
    private let subscriptionLimit: Int
    private let head: () -> Position
    private let schema: (Kind) -> KindSchema?
    private var walk: ConnectionWalk
    private var count: UInt64 = 0

    /// Begins the answer.
    ///
    /// - Parameters:
    ///   - all: the connections to list, ordered by number.
    ///   - subscriptionLimit: the maximum number of subscriptions to list for each.
    ///   - head: returns the last folded event.
    ///   - schema: returns the schema of a kind whose rows are followed.
    init(
        _ all: ConnectionWalk, of connections: Connections, _ outbox: Outbox, _ publishing: PushScheduler,
        _ driver: CommitDriver, subscriptionLimit: Int, head: @escaping () -> Position,
        schema: @escaping (Kind) -> KindSchema?
    ) {
        self.schema = schema
        walk = all
        self.connections = connections
        self.outbox = outbox
        self.publishing = publishing
        self.driver = driver
        self.subscriptionLimit = subscriptionLimit
        self.head = head
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while lines.hasRoom, !lines.isSpent {
            guard let connection = walk.next(of: connections) else {
                let done = [Member("count", .count(count)), Member("position", .count(head().value))]
                return .ended(.done(.members(done)), restsOn: head())
            }
            let report = ClientReport(
                connection: connection, published: publishing.published, tick: driver.tick,
                waiting: outbox.waitingCount(connection), subscriptionLimit: subscriptionLimit,
                schema: schema)
            lines.row(.line(report.members))
            lines.spend(.client + connection.session.subscriptionCount * .key)
            count += 1
        }
        return .more
    }
}
