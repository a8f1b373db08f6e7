import LoopSupport
import StoryServer
import TestSupport

// Nothing stands still: what is asked of the loop where it has done all that it wants to do.
extension Simulation {
    /// How much one turn may add to what is kept beside the bytes that came in: the buffer of one long line, which may
    /// have twice its bytes, and answers.
    private static let turnBytes = 800_000

    /// Holds the account of what is kept for clients against what is, at the end of a turn.
    ///
    /// - Parameter isExact: false where clients may have taken something that the loop is told of when they have all.
    /// - Throws: where it is wrong, or over its limit.
    func checkAccount(_ process: SimulatedProcess, isExact: Bool) throws {
        guard isQuiet, !disk.isDead, !process.isStopped, process.stopReason == nil else { return }
        let kept = process.loop.server.kept
        let transport = process.loop.transport
        let waiting = clients.filter(\.isConnected).reduce(0) { $0 + transport.unsentCount(process.loop.id($1.name)) }
        guard isExact ? kept.account == kept.counted : kept.account >= kept.counted, kept.account >= waiting else {
            throw Difference(
                "\(kept.counted) bytes are kept, \(waiting) wait for clients, and the account has \(kept.account)")
        }
        // One turn may come on top, and all that clients sent since the last one ended.
        let most = habits.output.all + habits.output.all / 4 + Simulation.turnBytes + received
        received = 0
        guard kept.account <= most else {
            throw Difference("\(kept.account) bytes are kept for clients, of \(habits.output.all)")
        }
    }

    /// Holds the loop, which wants no further turn, against what its clients have heard.
    ///
    /// - Throws: where a client waits for something that will not come.
    func checkFutures() throws {
        guard isQuiet, let process, !disk.isDead, !process.isStopped, process.stopReason == nil else { return }
        let transport = process.loop.transport
        // An ordering service that does not answer keeps its node's clients waiting, and so may strangers, for as long as
        // they may be idle.
        guard cluster == nil || isSettling, crowd?.isEmpty != false, !isStopping, process.held.count == 0,
            !process.commits.isRunning, !process.commits.isInDoubt
        else {
            return
        }
        // A long line may wait until another one is whole.
        let isLineBegun = clients.contains { $0.isConnected && !$0.unsent.isEmpty && !process.loop.isPaused($0.name) }
        for client in clients where client.isConnected && client.isTaking && client.unsent.isEmpty {
            guard client.waiting.isEmpty else {
                throw Difference("\(client.waiting[0].line) has no answer, and nothing is left that could bring it")
            }
        }
        for client in clients where client.isConnected && !isLineBegun {
            let id = process.loop.id(client.name)
            guard process.loop.isPaused(client.name), transport.unsentCount(id) == 0 else { continue }
            throw Difference(
                "\(client.name) is not read from, and nothing is left that could change that: \(state(process))")
        }
    }

    /// The account and the connections, for a person.
    private func state(_ process: SimulatedProcess) -> String {
        let connections = clients.filter(\.isConnected).map { client in
            let waiting = process.loop.transport.unsentCount(process.loop.id(client.name))
            let isPaused = process.loop.isPaused(client.name)
            return "\(client.name) \(client.isTaking ? "takes" : "takes nothing"), \(waiting) bytes wait for it, "
                + "\(isPaused ? "it is paused" : "it is read from"), \(client.unsent.count) bytes are unsent"
        }
        return
            "\(process.loop.server.kept.account) of \(habits.output.all) bytes; \(connections.joined(separator: "; "))"
    }
}
