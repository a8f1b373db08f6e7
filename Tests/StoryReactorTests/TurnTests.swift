import StoryReactor
import Testing

/// Counts turns on the thread of the test, asking for as many as it was made with.
private final class Counter: ReactorHandler {
    let reactor: Reactor
    var turns = 0
    var ticks = 0
    var turnsAtFirstTick = 0
    let wanted: Int

    init(_ reactor: Reactor, wanted: Int) { (self.reactor, self.wanted) = (reactor, wanted) }

    func turnEnded() {
        turns += 1
        if turns < wanted { reactor.requestTurn() }
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
        #expect(counter.turnsAtFirstTick >= 1_000)
        #expect(counter.turns <= 1_000 + 4 * counter.ticks)
    }

    @Test func `a turn that may wait a while comes then, and the loop sleeps until then`() throws {
        let reactor = try Reactor()
        let counter = Counter(reactor, wanted: 0)
        // Long before the first tick; a second setting takes the place of the first.
        reactor.requestTurn(within: 5_000_000)
        reactor.requestTurn(within: 10_000_000)
        reactor.run(counter)
        #expect(1...2 ~= counter.turnsAtFirstTick, "one turn of the alarm, and perhaps that of the start")
        #expect(counter.turns <= 2 + 4 * counter.ticks)
    }

    @Test func `a reactor that is stopped first runs not at all`() throws {
        let reactor = try Reactor()
        let counter = Counter(reactor, wanted: 0)
        reactor.stop()
        reactor.run(counter)
        #expect(counter.ticks == 0)
    }
}
