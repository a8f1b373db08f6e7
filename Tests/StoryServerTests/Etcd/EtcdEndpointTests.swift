import LoopSupport
import StoryCluster
import StoryReactor
import StoryServer
import TestSupport
import Testing

/// The endpoints of `EtcdService`, its deadlines and the order of its results, with an etcd that is played.
@Suite struct EtcdEndpointTests {
    @Test func `the version is asked for first, and other requests wait for it`() {
        let bench = EtcdServiceBench()
        bench.call(1)
        bench.call(2)
        expect(bench.dialed == ["a:2379"])
        let id = bench.accept()
        expect(bench.service.owns(id))
        let sent = bench.transport.takeBytes(id)
        expect(has(sent, "PRI * HTTP/2.0") && !has(sent, EtcdServiceBench.key))
        bench.receive(ServerFrames.reply(stream: 1, [0x0A, 4, 0x08, 7, 0x18, 9, 0x12, 5] + Array("3.6.4".utf8)), id)
        expect(bench.trace == ["engine-found endpoint=http://a:2379 version=3.6.4"])
        expect(bench.told == [] && has(bench.transport.takeBytes(id), EtcdServiceBench.key))
        for stream in [UInt32(3), 5] { bench.receive(ServerFrames.reply(stream: stream, EtcdServiceBench.nothing), id) }
        expect(bench.told == ["1 ranged 0", "2 ranged 0"])
    }

    @Test(arguments: ["3.5.0", "3.5.1", "3.5.2"])
    func `an etcd that loses writes is refused, and gets nothing but the question`(version: String) {
        let bench = EtcdServiceBench()
        bench.call(1)
        bench.service.watch(.live, .prefix("/log/"), from: 1, endpoint: 0)
        let id = bench.connect(version: version)
        let reason = "etcd \(version) loses acknowledged writes when it is killed; use 3.5.16 or newer"
        expect(bench.told.first == "1 refused: \(reason)")
        expect(bench.told.count == 2 && bench.told[1].contains(reason))
        expect(!bench.service.owns(id) && bench.transport.outbound.isEmpty)
        expect(bench.service.lastFailure == "http://a:2379: \(reason)")
    }

    @Test func `an endpoint that is refused comes last for 5 seconds`() {
        let bench = EtcdServiceBench(3)
        bench.call(1)
        bench.refuse("Connection refused")
        expect(bench.told == ["1 unknown"])
        expect(bench.trace == [#"engine-lost endpoint=http://a:2379 reason="Connection refused""#])
        bench.call(2)
        expect(bench.dialed == ["b:2379"])
        bench.refuse("No route to host")
        bench.call(3)
        expect(bench.dialed == ["c:2379"])
        bench.refuse("No route to host")
        // All have failed: the one that is asked for is as good as the others.
        bench.call(4, endpoint: 1)
        expect(bench.dialed == ["b:2379"])
        bench.refuse("No route to host")
        bench.tick(49)
        bench.call(5, endpoint: 2)
        expect(bench.dialed == ["c:2379"])
        bench.tick(2)
        bench.call(6)
        expect(bench.dialed == ["c:2379", "a:2379"])
    }

    @Test func `an endpoint that greets and sends nonsense is connected to after a growing delay`() {
        let bench = EtcdServiceBench()
        var calls: UInt64 = 0
        /// Makes calls for some tenths of a second; returns how many connections were made meanwhile.
        func connections(_ ticks: Int) -> Int {
            var count = 0
            for _ in 0..<ticks {
                if bench.told.count == Int(calls) {
                    calls += 1
                    bench.call(calls)
                }
                while let id = bench.dialed.isEmpty ? nil : bench.accept() {
                    count += 1
                    bench.receive([UInt8](repeating: 0xFF, count: 64), id)
                }
                bench.tick()
            }
            return count
        }
        expect(connections(100) < 20)
        expect(bench.told.allSatisfy { $0.hasSuffix("unknown") })
        // An answer to a call is a reason to come back at once; the version alone is none.
        bench.tick(10)
        calls += 1
        bench.call(calls)
        let id = bench.connect()
        bench.receive(ServerFrames.reply(stream: 3, EtcdServiceBench.nothing), id)
        expect(bench.told.last == "\(calls) ranged 0")
        bench.receive([UInt8](repeating: 0xFF, count: 64), id)
        expect(connections(3) >= 2)
    }

    @Test func `nothing is reported within a method, and each call has one answer`() {
        let bench = EtcdServiceBench()
        bench.call(1)
        bench.call(2)
        // Both have their deadlines; their connection is still being made.
        for _ in 0..<12 { bench.tick() }
        expect(bench.told == ["1 unknown", "2 unknown"])
        let id = bench.connect()
        expect(bench.told.count == 2)
        bench.call(3)
        bench.transport.close(id)
        bench.service.closed(id)
        expect(bench.told == ["1 unknown", "2 unknown", "3 unknown"])
        bench.call(4)
        _ = bench.connect()
        let requests = bench.transport.requestedTurns.count
        bench.service.ticked(at: 60_000_000_000)
        for step in 1...20 { bench.service.ticked(at: 60_000_000_000 + UInt64(step) * 100_000_000) }
        expect(bench.told.count == 3 && bench.transport.requestedTurns.count > requests)
        bench.service.turnEnded()
        expect(bench.told.last == "4 unknown" && bench.told.count == 4)
    }

    @Test(arguments: [(2, 6...7), (60, 195...205)])
    func `a renewal has a third of the lease, and other calls a second`(lease: Int, ticks: ClosedRange<Int>) {
        let bench = EtcdServiceBench(lease: lease)
        bench.call(1, .renewLease(5))
        _ = bench.connect()
        var (count, other) = (0, 0)
        while bench.told.isEmpty, count < 1_000 {
            bench.tick()
            count += 1
        }
        expect(bench.told == ["1 unknown"] && ticks.contains(count), "\(count)")
        bench.call(2)
        while bench.told.count < 2, other < 100 {
            bench.tick()
            other += 1
        }
        expect(9...11 ~= other, "\(other)")
    }

    @Test func `time in which the loop did not run is no reason to give up`() {
        let bench = EtcdServiceBench()
        bench.call(1)
        let id = bench.connect()
        bench.tick(2)
        bench.tick(1, nanoseconds: 30_000_000_000)
        bench.receive(ServerFrames.reply(stream: 3, EtcdServiceBench.nothing), id)
        expect(bench.told == ["1 ranged 0"])
    }

    @Test func `results of watches wait while those are paused, and answers do not`() {
        let bench = EtcdServiceBench()
        bench.service.watch(.live, .prefix("/log/"), from: 1, endpoint: 0)
        let id = bench.connect()
        let batch: [UInt8] = [0x0A, 4, 0x08, 7, 0x18, 9, 0x5A, 4, 0x12, 2, 0x0A, 0]
        bench.receive(
            ServerFrames.began(stream: 3) + ServerFrames.data(stream: 3, ServerFrames.framed(batch)), id)
        expect(bench.told == ["live 1"])
        bench.service.pauseWatches()
        bench.call(1)
        bench.receive(
            ServerFrames.data(stream: 3, ServerFrames.framed(batch))
                + ServerFrames.reply(stream: 5, EtcdServiceBench.nothing), id)
        bench.service.turnEnded()
        expect(bench.told == ["live 1", "1 ranged 0"])
        // The end of the connection is behind the changes that came before it.
        bench.service.resumeWatches()
        bench.service.closed(id)
        expect(bench.told == ["live 1", "1 ranged 0", "live 1", "live broken"])
    }

    @Test func `a watch that was ended reports nothing, also of what came before`() {
        let bench = EtcdServiceBench()
        bench.service.watch(.live, .prefix("/log/"), from: 1, endpoint: 0)
        bench.refuse("Connection refused")
        expect(bench.told == ["live broken"])
        bench.service.pauseWatches()
        bench.service.watch(.live, .prefix("/log/"), from: 1, endpoint: 0)
        bench.refuse("Connection refused")
        bench.service.endWatch(.live)
        bench.service.resumeWatches()
        bench.service.turnEnded()
        expect(bench.told == ["live broken"])
    }

    @Test func `after its end nothing is connected, and nothing is reported`() {
        let bench = EtcdServiceBench()
        bench.call(1)
        let id = bench.connect()
        bench.service.end()
        expect(!bench.service.owns(id) && bench.transport.outbound.isEmpty)
        bench.call(2)
        bench.service.watch(.live, .prefix("/log/"), from: 1, endpoint: 0)
        bench.tick(30)
        expect(bench.told == [] && bench.dialed == [])
    }

    private func has(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }
}
