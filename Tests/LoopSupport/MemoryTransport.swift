package import StoryReactor
import StoryServer

/// Sockets without a system: what was sent is kept for the test to look at.
package final class MemoryTransport: Transport {
    /// One connection's far end.
    private struct Peer {
        var heard: [UInt8] = []
        /// What the peer does not take now.
        var unsent: [UInt8] = []
        var isTaking = true
        var isFinished = false
        var isPaused = false
    }

    private var peers: [ConnectionID: Peer] = [:]
    private var isTurnRequested = false
    /// Within how many nanoseconds the turns asked for so far were to come; nil: at once.
    package private(set) var requestedTurns: [UInt64?] = []
    package private(set) var isListening = true
    package private(set) var isStopped = false
    /// True once what is sent gets nowhere: the process that sends it is dead.
    package var isCut = false
    /// The paths that connections can be made to, each with the number that the next one gets; others are refused.
    package var listeners: [String: ConnectionID] = [:]
    /// The connections that the loop made and did not close.
    package private(set) var outbound: [ConnectionID] = []
    /// The TCP connections that the loop began and that are neither made nor refused, each with its address.
    package private(set) var dials: [(id: ConnectionID, address: String)] = []
    private var dialCount: UInt64 = 0
    private var dialFailure: (id: ConnectionID, reason: String)?

    package init() {}

    package func open(_ id: ConnectionID) { peers[id] = Peer() }

    /// Whether the peer takes what it is sent.
    package func setTaking(_ id: ConnectionID, _ isTaking: Bool) { peers[id]?.isTaking = isTaking }

    /// The peer takes what waits, or so much of it; true when nothing waits any more.
    package func takeUnsent(_ id: ConnectionID, atMost count: Int = .max) -> Bool {
        guard let peer = peers[id], !peer.unsent.isEmpty else { return false }
        let taken = min(count, peer.unsent.count)
        peers[id]?.heard += peer.unsent.prefix(taken)
        peers[id]?.unsent.removeFirst(taken)
        return taken == peer.unsent.count
    }

    /// Takes the whole lines that a peer heard.
    package func takeLines(_ id: ConnectionID) -> [String] {
        guard let heard = peers[id]?.heard, let last = heard.lastIndex(of: 0x0A) else { return [] }
        peers[id]?.heard = Array(heard[(last + 1)...])
        return heard[..<last].split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    package func takeTurnRequest() -> Bool {
        defer { isTurnRequested = false }
        return isTurnRequested
    }

    /// Makes a TCP connection that the loop began; the loop is told by the caller.
    package func accept(_ id: ConnectionID) {
        dials.removeAll { $0.id == id }
        open(id)
        outbound.append(id)
    }

    /// Refuses a TCP connection that the loop began, with a reason for the body, which tells the loop.
    package func refuse(_ id: ConnectionID, _ reason: String, telling: () -> Void) {
        dials.removeAll { $0.id == id }
        dialFailure = (id, reason)
        telling()
        dialFailure = nil
    }

    /// Takes everything that a peer received.
    package func takeBytes(_ id: ConnectionID) -> [UInt8] {
        defer { peers[id]?.heard = [] }
        return peers[id]?.heard ?? []
    }

    package func isFinished(_ id: ConnectionID) -> Bool { peers[id]?.isFinished ?? true }
    package func isPaused(_ id: ConnectionID) -> Bool { peers[id]?.isPaused ?? false }

    // MARK: Transport

    package func send(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) -> Bool {
        precondition(!isStopped, "Nothing is sent once everything is closed.")
        guard !isCut, let peer = peers[id] else { return true }
        guard peer.isTaking, peer.unsent.isEmpty else {
            peers[id]?.unsent += bytes
            return false
        }
        peers[id]?.heard += bytes
        return true
    }

    package func unsentCount(_ id: ConnectionID) -> Int { peers[id]?.unsent.count ?? 0 }
    package var mostRead: Int?
    /// How many bytes wait for all peers to take them.
    package var unsentTotal: Int { peers.values.reduce(0) { $0 + $1.unsent.count } }
    package func pauseReading(_ id: ConnectionID) { peers[id]?.isPaused = true }
    package func resumeReading(_ id: ConnectionID) { peers[id]?.isPaused = false }
    package func finish(_ id: ConnectionID, lingers: Bool) { peers[id]?.isFinished = true }
    package func endLingering() {}
    package func requestTurn() {
        isTurnRequested = true
        requestedTurns.append(nil)
    }
    package func requestTurn(within nanoseconds: UInt64) {
        // For longer waits the test lets time go by.
        if nanoseconds < 10_000_000 { isTurnRequested = true }
        requestedTurns.append(nanoseconds)
    }
    package func connect(to path: String) throws(ReactorError) -> ConnectionID {
        guard let id = listeners[path] else { throw .refused(call: "connect", path: path, code: 111) }
        listeners[path] = ConnectionID(id.value + 1)
        open(id)
        outbound.append(id)
        return id
    }
    package func connect(host: String, port: UInt16) throws(ReactorError) -> ConnectionID {
        dialCount += 1
        // Other connections have smaller numbers.
        let id = ConnectionID(1 << 40 + dialCount)
        dials.append((id, "\(host):\(port)"))
        return id
    }
    package func connectFailure(_ id: ConnectionID) -> String? { dialFailure?.id == id ? dialFailure?.reason : nil }
    package func close(_ id: ConnectionID) {
        dials.removeAll { $0.id == id }
        peers[id] = nil
        outbound.removeAll { $0 == id }
    }
    package func stopListening() { isListening = false }
    package func stop() { isStopped = true }
}
