import StoryCore
import StoryEngine
import StoryReactor

/// The one table of connections.
final class Connections {
    /// Those whose next step is to be found out.
    let touched = TouchedConnections()
    @exclusivity(unchecked) private var table: [ConnectionID: Connection] = [:]
    private var followersByID: [ConnectionID: Connection] = [:]
    /// How many there are that are not ending.
    private(set) var liveCount = 0
    /// True once events were undone, until `takeUndone`.
    private var isUndone = false

    subscript(id: ConnectionID) -> Connection? { table[id] }

    var isEmpty: Bool { table.isEmpty }
    var count: Int { table.count }
    var all: Dictionary<ConnectionID, Connection>.Values { table.values }
    /// Those with subscriptions that each event may concern.
    var followers: Dictionary<ConnectionID, Connection>.Values { followersByID.values }

    func insert(_ connection: Connection) {
        table[connection.id] = connection
        liveCount += 1
    }

    /// Its subscriptions may be others than before.
    func subscriptionsChanged(_ connection: Connection) {
        followersByID[connection.id] = connection.session.active.isEmpty ? nil : connection
    }

    /// It takes up nothing more: there is room for another one. Told at most once.
    func ended(_ connection: Connection) {
        liveCount -= 1
        followersByID[connection.id] = nil
    }

    func remove(_ connection: Connection) { table[connection.id] = nil }

    /// Events after a position were undone.
    func rolledBack(to position: Position) {
        for connection in all { connection.session.rolledBack(to: position) }
        isUndone = true
    }

    /// True where events were undone since the last time: followers may have to be shown a list once more.
    func takeUndone() -> Bool {
        defer { isUndone = false }
        return isUndone
    }
}
