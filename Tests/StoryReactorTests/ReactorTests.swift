import Glibc
import StoryReactor
import Synchronization
import TestSupport
import Testing

@Suite struct ReactorTests {
    @Test func `what is sent comes back, and the handler is told of the whole life`() throws {
        let reactor = try RunningReactor()
        let peer = try Peer(reactor.path)
        peer.send("hello".utf8)
        expect(try peer.receive(5) == Array("hello".utf8))
        peer.hangUp()
        try until("it is closed") { reactor.told.count == 3 }
        expect(reactor.told == ["opened 1 by us", "ended 1", "closed 1"])
        try reactor.stop()
    }

    @Test(arguments: [false, true])
    func `a peer that has gone is found while nothing is read from it, with and without bytes unread`(_ sends: Bool)
        throws
    {
        let reactor = try RunningReactor(Behaviour(opened: { reactor, id in reactor.pauseReading(id) }))
        let (staying, ended, gone) = (try Peer(reactor.path), try Peer(reactor.path), try Peer(reactor.path))
        try until("all are let in") { reactor.told.count == 3 }
        if sends { gone.send("unread".utf8) }
        ended.endSending()
        gone.hangUp()
        try until("the one that has gone is closed") { reactor.told.count > 3 }
        expect(reactor.told.last == "closed 3", "one that only sends no more may still read")
        try withExtendedLifetime((staying, ended)) { try reactor.stop() }
    }

    @Test func `a slow reader gets every byte in order`() throws {
        let whole = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let reactor = try RunningReactor(
            Behaviour(received: { reactor, id, _ in
                for start in stride(from: 0, to: whole.count, by: 30_000) {
                    reactor.send(id, Array(whole[start..<start + 30_000]))
                }
            }))
        let peer = try Peer(reactor.path)
        peer.send("!".utf8)
        var got: [UInt8] = []
        while got.count < whole.count {
            usleep(2_000)
            got += try peer.receive(min(100_000, whole.count - got.count))
        }
        expect(got == whole)
        try until("it is drained") { reactor.told.contains("drained 1") }
        try reactor.stop()
    }

    @Test func `a turn reads a few mebibytes, and something of everybody who sent`() throws {
        let firsts: Mutex<[ConnectionID: Int]> = Mutex([:])
        let reactor = try RunningReactor(
            Behaviour(received: { _, id, bytes in
                firsts.withLock { if $0[id] == nil { $0[id] = bytes.count } }
            }))
        let peers = try (0..<200).map { _ in try Peer(reactor.path) }
        try until("all are let in") { reactor.told.count == peers.count }
        // Meanwhile all of them send more than one read takes.
        let isHeld = Mutex(false)
        let mayGoOn = Mutex(false)
        try withExtendedLifetime(peers) {
            reactor.perform { _ in
                isHeld.withLock { $0 = true }
                while !mayGoOn.withLock({ $0 }) { usleep(1_000) }
            }
            try until("it is held") { isHeld.withLock { $0 } }
            for peer in peers { peer.send([UInt8](repeating: 1, count: 140_000)) }
            mayGoOn.withLock { $0 = true }
            try until("something of each is read") { firsts.withLock { $0.count == peers.count } }
        }
        let counts = firsts.withLock { Array($0.values) }
        expect(counts.reduce(0, +) <= Reactor.turnBytes + peers.count * Reactor.leastRead)
        expect(counts.allSatisfy { $0 >= Reactor.leastRead })
        expect(counts.contains(Reactor.readBufferSize), "the first read as much as ever")
        try reactor.stop()
    }

    @Test func `what waits is counted and dropped with the connection`() throws {
        let counts: Mutex<[Int]> = Mutex([])
        let reactor = try RunningReactor(
            Behaviour(received: { reactor, id, _ in
                reactor.send(id, [UInt8](repeating: 1, count: 1_000_000))
                let waiting = reactor.unsentCount(id)
                reactor.close(id)
                reactor.send(id, [1, 2, 3])
                counts.withLock { $0 = [waiting, reactor.unsentCount(id)] }
            }))
        let peer = try Peer(reactor.path)
        peer.send("!".utf8)
        let got = try peer.receiveAll().count
        try until("it is closed") { reactor.told.last == "closed 1" }
        expect(counts.withLock { $0 } == [1_000_000 - got, 0])
        expect(got > 0)
        try reactor.stop()
    }

    @Test func `a peer that only stopped sending still gets its answers`() throws {
        let reactor = try RunningReactor(
            Behaviour(
                received: { reactor, id, bytes in reactor.send(id, bytes) },
                ended: { reactor, id in
                    reactor.send(id, [UInt8](repeating: 7, count: 500_000))
                    reactor.finish(id, lingers: true)
                }))
        let peer = try Peer(reactor.path)
        peer.send("ab".utf8)
        peer.endSending()
        expect(try peer.receiveAll().count == 500_002)
        try reactor.stop()
    }

    @Test func `finish lets a peer that is still sending read the last line`() throws {
        let reactor = try RunningReactor(
            Behaviour(received: { reactor, id, _ in
                reactor.send(id, Array("the last line\n".utf8))
                reactor.finish(id, lingers: true)
            }))
        let peer = try Peer(reactor.path)
        peer.send("x".utf8)
        usleep(20_000)
        expect(peer.send([UInt8](repeating: 0, count: 60_000)))
        peer.endSending()
        expect(try peer.receiveAll() == Array("the last line\n".utf8))
        try until("it is closed") { reactor.told.last == "closed 1" }
        try reactor.stop()
    }

    @Test func `finish gives up a peer that sends on and on`() throws {
        let reactor = try RunningReactor(Behaviour(received: { reactor, id, _ in reactor.finish(id, lingers: true) }))
        let peer = try Peer(reactor.path)
        peer.send("x".utf8)
        while peer.send([UInt8](repeating: 0, count: 10_000)) {}
        try until("it is closed") { reactor.told.last == "closed 1" }
        try reactor.stop()
    }

    @Test func `finish gives up a peer that never closes, after a second`() throws {
        let reactor = try RunningReactor(Behaviour(received: { reactor, id, _ in reactor.finish(id, lingers: true) }))
        let peer = try Peer(reactor.path)
        peer.send("x".utf8)
        try until("it is closed") { reactor.told.last == "closed 1" }
        expect(try peer.receiveAll() == [])
        try reactor.stop()
    }

    @Test func `a peer that sends nothing is not waited for where that is not wanted, and gets all`() throws {
        // On a busy machine it may take the quiet one a second to read.
        try until("the one that is not waited for is closed first") { try Self.isClosedBeforeOneThatIsWaitedFor() }
    }

    /// True where a quiet peer is closed before one whose end is waited for, a second long, since before.
    private static func isClosedBeforeOneThatIsWaitedFor() throws -> Bool {
        let reactor = try RunningReactor(
            Behaviour(received: { reactor, id, bytes in
                let isWaitedFor = bytes.count > 1
                if !isWaitedFor { reactor.send(id, [UInt8](repeating: 7, count: 500_000)) }
                reactor.finish(id, lingers: isWaitedFor)
            }))
        let (quiet, waitedFor) = (try Peer(reactor.path), try Peer(reactor.path))
        waitedFor.send("waits".utf8)
        try until("both are let in") { reactor.told.count == 2 }
        quiet.send("x".utf8)
        expect(try quiet.receiveAll().count == 500_000)
        try until("both are closed") { reactor.told.count == 4 }
        try reactor.stop()
        return reactor.told.suffix(2) == ["closed 1", "closed 2"]
    }

    @Test func `a peer that sends while it is to be ended can read its last line all the same`() throws {
        let isHeld = Mutex(false)
        let mayEnd = Mutex(false)
        let reactor = try RunningReactor(
            Behaviour(received: { reactor, id, _ in
                isHeld.withLock { $0 = true }
                while !mayEnd.withLock({ $0 }) { usleep(1_000) }
                reactor.send(id, Array("the last line\n".utf8))
                reactor.finish(id, lingers: false)
            }))
        let peer = try Peer(reactor.path)
        peer.send("x".utf8)
        try until("it is to be ended") { isHeld.withLock { $0 } }
        expect(peer.send([UInt8](repeating: 0, count: 10_000)))
        mayEnd.withLock { $0 = true }
        usleep(100_000)
        peer.send([UInt8](repeating: 0, count: 10_000))
        expect(try peer.receiveAll() == Array("the last line\n".utf8))
        try reactor.stop()
    }

    @Test func `nothing is read while reading is paused, and all of it afterwards`() throws {
        let reactor = try RunningReactor(
            Behaviour(
                opened: { reactor, id in reactor.pauseReading(id) },
                received: { reactor, id, bytes in reactor.send(id, bytes) }))
        let peer = try Peer(reactor.path)
        peer.send("hello".utf8)
        usleep(50_000)
        reactor.perform { reactor in reactor.send(ConnectionID(1 << 20), Array("first ".utf8)) }
        usleep(50_000)
        reactor.perform { reactor in reactor.resumeReading(ConnectionID(1 << 20)) }
        expect(try peer.receive(11) == Array("first hello".utf8))
        try reactor.stop()
    }

    @Test func `two hundred clients connect at once and each is served`() throws {
        let reactor = try RunningReactor()
        let peers = try (0..<200).map { _ in try Peer(reactor.path) }
        for (number, peer) in peers.enumerated() { peer.send("client \(number)\n".utf8) }
        for (number, peer) in peers.enumerated() {
            let line = Array("client \(number)\n".utf8)
            expect(try peer.receive(line.count) == line)
        }
        for peer in peers { peer.hangUp() }
        try until("all are closed") { reactor.told.count == 600 }
        try reactor.stop()
    }

    @Test func `a write to a closed peer kills nothing`() throws {
        let reactor = try RunningReactor(Behaviour(ended: { _, _ in }))
        let peer = try Peer(reactor.path)
        try until("it is opened") { reactor.told.count == 1 }
        peer.hangUp()
        try until("the end is seen") { reactor.told.count == 2 }
        reactor.perform { $0.send(ConnectionID(1 << 20), [1, 2, 3]) }
        try until("it is closed") { reactor.told.count == 3 }
        expect(reactor.told.last == "closed 1")
        let second = try Peer(reactor.path)
        try until("the next client is served") { reactor.told.last == "opened 2 by us" }
        second.hangUp()
        try reactor.stop()
    }

    @Test func `what a peer sent before it hung up unread is still received`() throws {
        let received: Mutex<[UInt8]> = Mutex([])
        let reactor = try RunningReactor(
            Behaviour(
                opened: { reactor, id in
                    reactor.pauseReading(id)
                    reactor.send(id, Array("greeting".utf8))
                },
                received: { _, _, bytes in received.withLock { $0 += bytes } }))
        let peer = try Peer(reactor.path)
        try until("it is opened") { reactor.told.count == 1 }
        peer.send("request".utf8)
        usleep(20_000)
        peer.hangUp()
        reactor.perform { $0.resumeReading(ConnectionID(1 << 20)) }
        try until("it is closed") { reactor.told.last == "closed 1" }
        expect(received.withLock { $0 } == Array("request".utf8))
        try reactor.stop()
    }

    @Test func `stopping closes every connection and tells of it`() throws {
        let reactor = try RunningReactor()
        let peers = try (0..<3).map { _ in try Peer(reactor.path) }
        try until("all are open") { reactor.told.count == 3 }
        try reactor.stop()
        expect(Set(reactor.told.suffix(3)) == ["closed 1", "closed 2", "closed 3"])
        expect(try peers.allSatisfy { try $0.receiveAll().isEmpty })
        reactor.waker.wake()
    }

    @Test func `a loop that was stopped before it runs serves nobody, and ends`() throws {
        let reactor = try RunningReactor(isStopped: true)
        try reactor.stop()
        expect(reactor.told.isEmpty && access(reactor.path, F_OK) != 0)
    }

    @Test func `calls for connections that never were are of no effect`() throws {
        let reactor = try RunningReactor()
        reactor.perform { reactor in
            for value: UInt64 in [0, 1, 1 << 20, .max] {
                reactor.send(ConnectionID(value), [1])
                reactor.finish(ConnectionID(value), lingers: true)
                reactor.close(ConnectionID(value))
                reactor.pauseReading(ConnectionID(value))
                reactor.resumeReading(ConnectionID(value))
            }
        }
        let peer = try Peer(reactor.path)
        peer.send("on".utf8)
        expect(try peer.receive(2) == Array("on".utf8))
        try reactor.stop()
    }
}
