import StoryReactor
import TestSupport
import Testing

/// Counts turns on the thread of the test, asking for as many as it was made with.
private final class Counter: ReactorHandler {
    let reactor: Reactor
    var turns = 0
    var ticks = 0
    var turnsAtFirstTick = 0
    let wanted: Int
    /// How long each turn may take, in nanoseconds; nil: whatever it takes.
    let patience: UInt64?

    init(_ reactor: Reactor, wanted: Int, patience: UInt64? = nil) {
        (self.reactor, self.wanted, self.patience) = (reactor, wanted, patience)
    }

    func turnEnded() {
        turns += 1
        if turns < wanted { reactor.requestTurn() }
        if let patience { reactor.requestTurn(within: patience) }
        if ticks == 2 { reactor.stop() }
    }

    func timerFired() {
        ticks += 1
        if ticks == 1 { turnsAtFirstTick = turns }
    }

    func connectionOpened(_ id: ConnectionID, peer: PeerCredentials) {}
    func clientNotAccepted(errno: Int32) {}
    func bytesReceived(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {}
    func peerClosed(_ id: ConnectionID) {}
    func connectionClosed(_ id: ConnectionID) {}
    func outputDrained(_ id: ConnectionID) {}
    func signalReceived(_ signal: Int32) {}
    func woken() {}
}

@Suite struct TurnTests {
    @Test func `turns that were asked for do not wait, and others do`() throws {
        let reactor = try Reactor()
        let counter = Counter(reactor, wanted: 1_000)
        reactor.requestTurn()
        reactor.run(counter)
        expect(counter.turnsAtFirstTick >= 1_000)
        expect(counter.turns <= 1_000 + 4 * counter.ticks)
    }

    @Test func `turns that may wait a while come then, and the loop sleeps until then`() throws {
        // A tick comes after 100 ms; a busy machine may let several of these turns pass.
        try until("some turns come before the first tick, and not many") {
            let reactor = try Reactor()
            let counter = Counter(reactor, wanted: 0, patience: 10_000_000)
            // The second request takes the place of the first: else the loop would sleep until the first tick.
            reactor.requestTurn(within: 3_000_000_000)
            reactor.requestTurn(within: 10_000_000)
            reactor.run(counter)
            return 3...20 ~= counter.turnsAtFirstTick
        }
    }

    @Test func `a reactor that is stopped first runs not at all`() throws {
        let reactor = try Reactor()
        let counter = Counter(reactor, wanted: 0)
        reactor.stop()
        reactor.run(counter)
        expect(counter.ticks == 0)
    }
}
