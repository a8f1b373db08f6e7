import StoryCore
import StoryEngine
import StoryReactor

/// The table of all connections.
final class Connections {
    /// The connections whose next step is to be computed.
    let touched = TouchedConnections()
    private var table: [ConnectionID: Connection] = [:]
    private var followersByID: [ConnectionID: Connection] = [:]
    /// The number of connections that are not ending.
    private(set) var liveCount = 0
    /// The number of subscriptions to rows and lists, idle ones included.
    private(set) var rowSubscriptionCount = 0

    subscript(id: ConnectionID) -> Connection? { table[id] }

    var isEmpty: Bool { table.isEmpty }
    var count: Int { table.count }
    var all: Dictionary<ConnectionID, Connection>.Values { table.values }
    /// The connections with active subscriptions, which each event may concern.
    var followers: Dictionary<ConnectionID, Connection>.Values { followersByID.values }

    func insert(_ connection: Connection) {
        table[connection.id] = connection
        liveCount += 1
    }

    /// Updates the followers after a change of the connection's subscriptions.
    func subscriptionsChanged(_ connection: Connection) {
        guard let conversation = connection.conversation else { return }
        count(conversation, rowSubscriptions: conversation.session.rowSubscriptionCount)
        followersByID[connection.id] = conversation.session.active.isEmpty ? nil : connection
    }

    /// Notes that the connection's conversation has ended, which makes room for another one.
    func ended(_ connection: Connection, _ conversation: Conversation) {
        liveCount -= 1
        count(conversation, rowSubscriptions: 0)
        followersByID[connection.id] = nil
    }

    func remove(_ connection: Connection) { table[connection.id] = nil }

    /// Undoes the events after a position in all sessions.
    func rolledBack(to position: Position) {
        for connection in all { connection.conversation?.session.rolledBack(to: position) }
    }

    private func count(_ conversation: Conversation, rowSubscriptions: Int) {
        rowSubscriptionCount += rowSubscriptions - conversation.countedRowSubscriptions
        conversation.countedRowSubscriptions = rowSubscriptions
    }
}
