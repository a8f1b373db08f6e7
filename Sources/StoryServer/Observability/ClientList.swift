import StoryCore
import StoryEngine
import StoryReactor

/// The answer to `CLIENTS`: the connections, a few per step. It depends on durable events only.
final class ClientList: AnswerCursor {
    /// The maximum number of subscriptions in a row; the slowest are listed.
    private static let fewSubscriptions = 16
    /// The maximum for a client that is asked for by its number.
    private static let mostSubscriptions = 1_000

    private let connections: Connections
    private let outbox: Outbox
    private let publishing: PushScheduler
    private let driver: CommitDriver
    private let engine: Engine
    private let subscriptionLimit: Int
    private var walk: ConnectionWalk
    private var count: UInt64 = 0

    /// Begins the answer, ordered by the clients' numbers.
    ///
    /// - Parameter number: the number of the one client to list; nil for all clients.
    init(
        _ connections: Connections, _ outbox: Outbox, _ publishing: PushScheduler, _ driver: CommitDriver,
        _ engine: Engine, only number: UInt64?
    ) {
        (self.connections, self.outbox, self.publishing) = (connections, outbox, publishing)
        (self.driver, self.engine) = (driver, engine)
        subscriptionLimit = number == nil ? ClientList.fewSubscriptions : ClientList.mostSubscriptions
        let listed = connections.all.filter { number == nil || $0.client.number == number }
        walk = ConnectionWalk(listed.sorted { $0.client.number < $1.client.number }.map(\.id))
    }

    /// True where no client has the number.
    var isEmpty: Bool { walk.isEmpty }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while lines.hasRoom, !lines.isSpent {
            guard let connection = walk.next(of: connections) else {
                let done = [
                    Member("count", .count(count)), Member("position", .count(driver.acknowledged.value)),
                ]
                return .ended(.done(.members(done)), restsOn: .zero)
            }
            lines.row(.line(members(of: connection)))
            lines.spend(.client + (connection.conversation?.session.subscriptionCount ?? 0) * .key)
            count += 1
        }
        return .more
    }

    private func members(of connection: Connection) -> [Member] {
        let (client, peer) = (connection.client, connection.peer)
        let waiting = outbox.waitingCount(connection)
        var members = [
            Member("client", .count(client.number)), Member("uid", .count(UInt64(peer.uid))),
            Member("pid", .count(UInt64(clamping: client.pid))), Member("role", .text(peer.role.name)),
            Member("since", .text(client.since.text)), Member("idle", .number(idleSeconds(of: connection))),
            Member("requests", .count(client.requests)), Member("errors", .count(client.errors)),
            Member("received", .count(client.received)), Member("sent", .count(client.sent)),
            Member("waiting", .count(UInt64(clamping: waiting))),
        ]
        if let certificate = client.certificate {
            members.append(Member("certificate", .text(certificate.name ?? "")))
            members.append(Member("from", .text(certificate.from)))
        }
        if let verb = client.verb { members.append(Member("verb", .text(verb.name))) }
        return members + subscriptions(of: connection.conversation)
    }

    private func idleSeconds(of connection: Connection) -> Double {
        let (last, tick) = (max(connection.client.lastLine, connection.client.beganTick), driver.tick)
        return Double(tick - min(last, tick)) / 10
    }

    private func subscriptions(of conversation: Conversation?) -> [Member] {
        guard let session = conversation?.session else { return [Member("subscriptions", .list([]))] }
        let slowest = session.slowestSubscriptions(subscriptionLimit, published: publishing.published)
        let members = [Member("subscriptions", .list(slowest.map(told)))]
        let more = session.subscriptionCount - slowest.count
        return more > 0 ? members + [Member("more", .count(UInt64(more)))] : members
    }

    private func told(_ subscription: Subscription) -> MemberValue {
        var members = [
            Member("subscription", .count(subscription.id.value)), Member("target", .text(target(of: subscription))),
            Member("next", .count(subscription.next.value)),
            Member("lag", .count(subscription.lag(head: publishing.published))),
            Member("phase", .text(subscription.phase.name)),
        ]
        if let holding = subscription.subject.holding {
            members.append(Member("cursor", .text("\(holding.cursor)")))
            members.append(holding.number.map { Member("share", .count(UInt64($0))) } ?? Member("waiting", .flag(true)))
        }
        return .object(members)
    }

    /// Returns the target of a subscription as it was asked for, without filters.
    private func target(of subscription: Subscription) -> String {
        switch subscription.subject {
        case .events, .work: subscription.selection.source.target
        case .records: "records"
        case .row(let kind, let key): engine.schema(ofFollowed: kind)?.address(key) ?? ""
        case .list(let kind, _): engine.schema(ofFollowed: kind)?.name ?? ""
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
