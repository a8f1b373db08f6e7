import StoryCore
import StoryReactor
import StoryWire

/// One connection as the server keeps it: its protocol machine, and what waits to be sent.
final class Connection {
    let id: ConnectionID
    let session: SessionID
    let peer: Peer
    var machine: SessionMachine
    /// What this turn says; it leaves once the turn is committed.
    var output: [UInt8] = []
    /// The `READ` that is being answered; what comes after it waits.
    var reading: ReadCursor?
    /// True while an answer is awaited from beside the loop; what comes after it waits.
    var isAwaiting = false
    /// True once nothing more is to be done but to send what is there.
    var isFinishing = false
    /// True once the engine knows it no longer.
    var isGone = false
    /// True when every whole line was taken up.
    var needsBytes = true
    var isPaused = false
    /// True while it stands in the list of those with work left over.
    var isReady = false
    var subscriptions: [Subscription] = []

    init(id: ConnectionID, session: SessionID, peer: Peer, limits: Limits) {
        self.id = id
        self.session = session
        self.peer = peer
        machine = SessionMachine(limits: limits)
    }

    /// True when requests cannot be taken up, whatever lies there.
    var isBusy: Bool { isFinishing || isAwaiting || reading != nil }
}
