import StoryCore
import StoryEngine
import StoryStorage

/// The part of the loop that looks after the shares of cursors that are held: leases, delays, ends, and events that failed
/// too often.
final class WorkerTurns {
    private let engine: Engine
    private let driver: CommitDriver
    private let clients: Clients
    private let trace: Trace
    private let uid: UInt32
    /// False where another store takes the writes.
    private let takesWrites: () -> Bool

    init(_ clients: Clients, trace: Trace, uid: UInt32, takesWrites: @escaping () -> Bool) {
        (self.clients, self.trace, self.uid, self.takesWrites) = (clients, trace, uid, takesWrites)
        (engine, driver) = (clients.engine, clients.driver)
        shares.areElsewhere = !takesWrites()
    }

    private var shares: Shares { engine.shares }

    /// Counts a tick of 0.1 s.
    func ticked() {
        shares.tick = driver.tick
        guard !shares.isEmpty, !driver.isHalfFolded, !driver.life.hasFailed else { return }
        for connection in clients.connections.followers { look(connection) }
        guard takesWrites(), driver.life.isServing, !driver.holdsWrites() else { return }
        engine.flush()
        do throws(StorageError) {
            defer { if shares.takeUntold() { clients.connections.followers.forEach(look) } }
            if try engine.workers.sweep(by: uid, driver.clock.now(), clients.output(nil)) {
                driver.transport.requestTurn()
            }
        } catch {
            driver.fail(error)
        }
    }

    /// Has the subscriptions of a connection served whose delay has ended, or whose share was taken away.
    private func look(_ connection: Connection) {
        guard let conversation = connection.conversation else { return }
        for holding in conversation.session.active.holdings {
            let heard = max(connection.client.lastLine, holding.busySince)
            if holding.isHeld, holding.outstanding > 0, driver.tick - min(heard, driver.tick) > holding.lease {
                trace.say("lease", ["cursor": "\(holding.cursor)", "pid": "\(holding.holder.pid ?? 0)"])
                shares.expire(holding)
            }
            guard !holding.isHeld || holding.isUntold || holding.isDue(at: driver.tick) else { continue }
            holding.goesOn()
            clients.publishing.add(connection)
        }
    }

    /// Notes that this store takes writes, or takes none any more: then another one leads, and all shares end.
    func takesWrites(_ takesWrites: Bool) {
        shares.areElsewhere = !takesWrites
        if !takesWrites { shares.leadLost() }
    }
}
