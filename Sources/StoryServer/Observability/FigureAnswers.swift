import StoryLog
import StoryReactor

/// Begins the answers to `STATS`, `METRICS` and `CLIENTS`.
struct FigureAnswers {
    let dependency: ServerDependency
    let driver: TurnDriver
    let connections: Connections
    let outbox: Outbox
    let memory: ClientMemory
    let publishing: Publishing
    let checkpoints: Checkpoints

    /// The daemon's figures, after a look at every connection.
    func survey(_ purpose: Survey.Purpose) -> Survey {
        Survey(purpose, connections, publishing) { [self] sums in
            FigureSource(
                dependency: dependency, checkpoints: checkpoints, publishing: publishing, memory: memory, sums: sums)
        }
    }

    /// All clients, by their numbers.
    func clients() -> ClientList { list(connections.all, subscriptionLimit: ClientReport.fewSubscriptions) }

    /// The client with a number; nil where there is none.
    func client(_ number: UInt64) -> ClientList? {
        let found = connections.all.filter { $0.client.number == number }
        return found.isEmpty ? nil : list(found, subscriptionLimit: ClientReport.mostSubscriptions)
    }

    private func list(_ all: some Sequence<Connection>, subscriptionLimit: Int) -> ClientList {
        let ids = all.sorted { $0.client.number < $1.client.number }.map(\.id)
        return ClientList(
            ConnectionWalk(ids), of: connections, outbox, publishing, driver, subscriptionLimit: subscriptionLimit,
            head: { [dependency] in dependency.log.head })
    }
}
