import StoryCore

/// The greeting of a client, or its refusal.
struct GreetClient {
    let limits: Limits
    let identity: LogIdentity
    let server: String
    let durability: Durability

    /// Greets a client beside `count` other connections; returns false if it was refused instead.
    ///
    /// - Parameter part: the part that this store has among others; nil for a store of its own.
    func greet(_ peer: Peer, beside count: Int, as part: ClusterState?, into output: any TurnOutput) -> Bool {
        guard !output.isEnding else {
            output.reply(.failed(Failure.draining), tag: nil, restsOn: .zero)
            return false
        }
        // The last connection is kept for an administrator, who can list the others and end them.
        let most = peer.role == .admin ? limits.connections : max(1, limits.connections - 1)
        guard count < most else {
            let count = most == 1 ? "is 1 connection" : "are \(most) connections"
            let failure = Failure(.busy, "there \(count) already; try again later")
            output.reply(.failed(failure), tag: nil, restsOn: .zero)
            return false
        }
        let greeting = Greeting(
            server: server, position: output.durable, durable: durability, log: identity.id, limits: limits,
            peer: peer, cluster: part)
        output.notify(.greeting(greeting))
        return true
    }
}
