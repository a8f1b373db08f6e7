import StoryCore
import StoryEngine
import StoryLog
import StoryReactor

/// The factory of the answers to `STATS`, `METRICS` and `CLIENTS`.
struct FigureAnswers {
    let store: FigureSource.Store
    let figures: Figures
    let driver: CommitDriver
    let connections: Connections
    let outbox: Outbox
    let memory: ClientMemory
    let publishing: PushScheduler
    let checkpoints: Checkpoints

    /// Begins an answer with the daemon's figures, which visits every connection first.
    func survey(_ purpose: Survey.Purpose) -> Survey {
        Survey(purpose, connections, publishing) { [self] sums in
            FigureSource(
                store: store, figures: figures, checkpoints: checkpoints, publishing: publishing, memory: memory,
                sums: sums)
        }
    }

    /// Begins an answer with all clients, ordered by number.
    func clients() -> ClientList { list(connections.all, subscriptionLimit: ClientReport.fewSubscriptions) }

    /// Begins an answer with one client; nil where there is none with this number.
    func client(_ number: UInt64) -> ClientList? {
        let found = connections.all.filter { $0.client.number == number }
        return found.isEmpty ? nil : list(found, subscriptionLimit: ClientReport.mostSubscriptions)
    }

    private func list(_ all: some Sequence<Connection>, subscriptionLimit: Int) -> ClientList {
        let ids = all.sorted { $0.client.number < $1.client.number }.map(\.id)
        return ClientList(
            ConnectionWalk(ids), of: connections, outbox, publishing, driver, subscriptionLimit: subscriptionLimit,
            head: { [log = store.log] in log.head },
            schema: { [engine = store.engine] in engine.schema(ofFollowed: $0) })
    }
}
