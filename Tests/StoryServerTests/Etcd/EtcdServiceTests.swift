import Glibc
import StoryCluster
import StoryEtcd
import StoryServer
import TestSupport
import Testing

/// `EtcdService` on a reactor, with a real etcd.
@Suite(.serialized) struct EtcdServiceTests {
    private let all = OrderingRange.prefix("/log/")

    @Test func `calls and watches go over one connection, and their numbers do not collide`() throws {
        let etcd = try RunningEtcd()
        let loop = try EtcdServiceLoop([etcd.port])
        loop.perform { [all] service in
            service.watch(.live, all, from: 1, endpoint: 0)
            service.watch(.leader, OrderingRange(from: "/log/2"), from: 1, endpoint: 0)
            for id in UInt64(1)...20 { service.call(CallID(id), .putIfAbsent("/log/\(id)"), endpoint: 0) }
        }
        for id in UInt64(1)...20 { expect(try loop.answer(to: id).isDone) }
        try until("the watches have all changes") {
            loop.keys(of: .live).count == 20 && loop.keys(of: .leader).count == 1
        }
        // A call that waits for no other one may be carried out before it.
        expect(Set(loop.keys(of: .live)) == Set((1...20).map { "/log/\($0)" }))
        expect(loop.keys(of: .leader) == ["/log/2"])
        expect(loop.told.count { if case .answered = $0 { true } else { false } } == 20)
        let found = " engine-found endpoint=http://127.0.0.1:\(etcd.port) "
        expect(loop.trace.count == 1 && loop.trace[0].contains(found))
        // A watch that is ended has nothing more, and one with the same name begins anew.
        loop.perform { [all] service in
            service.endWatch(.leader)
            service.watch(.leader, all, from: 1, endpoint: 0)
        }
        try until("the second watch has all changes") { loop.keys(of: .leader).count == 21 }
        expect(!loop.wasToldWithin)
        try loop.stop()
    }

    @Test func `a lease is granted and renewed`() throws {
        let etcd = try RunningEtcd()
        let loop = try EtcdServiceLoop([etcd.port])
        loop.call(1, .grantLease(seconds: 60))
        guard case .granted(let lease, 60, _) = try loop.answer(to: 1) else {
            Issue.record("\(loop.told)")
            return
        }
        loop.call(2, .renewLease(lease))
        expect(try loop.answer(to: 2) == .renewed(seconds: 60))
        try loop.stop()
    }

    @Test func `an endpoint that is killed is left, with its calls unknown, and used again later`() throws {
        let etcds = try RunningEtcd.cluster(of: 3)
        let loop = try EtcdServiceLoop(etcds.map(\.port))
        expect(try loop.knownAnswer(from: 1, .putIfAbsent("/log/1")).1.isDone)
        loop.perform { [all] in $0.watch(.live, all, from: 1, endpoint: 0) }
        try until("the watch has the change") { loop.keys(of: .live) == ["/log/1"] }
        // A stopped process answers nothing, and its socket takes the call.
        try etcds[0].pause()
        loop.call(100, .putIfAbsent("/log/2"))
        try etcds[0].kill()
        expect(try loop.answer(to: 100) == .unknown)
        try until("the watch has ended") { loop.told.contains(.ended(.live, .broken)) }
        // The same endpoint is asked for, and another one answers.
        expect(try loop.knownAnswer(from: 101, .putIfAbsent("/log/3")).1.isDone)
        expect(loop.trace.contains { $0.contains(" engine-lost endpoint=http://127.0.0.1:\(etcds[0].port) reason=") })
        try etcds[0].restart()
        let found = " engine-found endpoint=http://127.0.0.1:\(etcds[0].port) "
        var id: UInt64 = 200
        try until("the endpoint is used again: \(loop.trace.suffix(5))") {
            loop.call(id, .range(OrderingRange(from: "/log/3")))
            _ = try loop.answer(to: id)
            id += 1
            return loop.trace.count { $0.contains(found) } == 2
        }
        expect(!loop.wasToldWithin)
        try loop.stop()
    }

    @Test func `a single etcd that is killed and started again is used again`() throws {
        let etcd = try RunningEtcd()
        let loop = try EtcdServiceLoop([etcd.port])
        loop.call(1, .putIfAbsent("/log/1"))
        expect(try loop.answer(to: 1).isDone)
        try etcd.kill()
        loop.call(2, .putIfAbsent("/log/2"))
        expect(try loop.answer(to: 2) == .unknown)
        try etcd.restart()
        expect(try loop.knownAnswer(from: 3, .putIfAbsent("/log/2")).1.isDone)
        expect(try loop.knownAnswer(from: 1_000, .putIfAbsent("/log/1")).1.isDone == false)
        try loop.stop()
    }

    @Test func `a call that is not answered is unknown at its deadline, and a silent connection is left`() throws {
        let etcd = try RunningEtcd()
        let loop = try EtcdServiceLoop([etcd.port], callTime: 3)
        loop.call(1, .putIfAbsent("/log/1"))
        expect(try loop.answer(to: 1).isDone)
        loop.perform { [all] in $0.watch(.live, all, from: 1, endpoint: 0) }
        try until("the watch has begun") { loop.keys(of: .live) == ["/log/1"] }
        try etcd.pause()
        let began = ContinuousClock.now
        loop.call(2, .putIfAbsent("/log/2"))
        expect(try loop.answer(to: 2) == .unknown)
        expect(ContinuousClock.now - began >= .milliseconds(2_800))
        try until("the watch has ended") { loop.told.contains(.ended(.live, .broken)) }
        try etcd.resume()
        // It may be carried out all the same: this is why the answer is no refusal.
        expect(try loop.knownAnswer(from: 3, .range(OrderingRange(from: "/log/1"))).1 != .unknown)
        expect(!loop.wasToldWithin)
        try loop.stop()
    }

    @Test func `paused watches bring nothing, also those that begin meanwhile, and everything afterwards`() throws {
        let etcd = try RunningEtcd()
        let loop = try EtcdServiceLoop([etcd.port])
        loop.perform { [all] service in
            service.watch(.live, all, from: 1, endpoint: 0)
            service.call(CallID(1), .putIfAbsent("/log/1"), endpoint: 0)
        }
        try until("the watch has the change") { loop.keys(of: .live) == ["/log/1"] }
        loop.perform { [all] service in
            service.pauseWatches()
            service.watch(.nodes, all, from: 1, endpoint: 0)
        }
        for id in UInt64(2)...50 {
            loop.call(id, .putIfAbsent("/log/\(id)", [UInt8](repeating: 7, count: 20_000)))
            expect(try loop.answer(to: id).isDone)
        }
        expect(loop.keys(of: .live).count == 1 && loop.keys(of: .nodes).isEmpty)
        loop.perform { $0.resumeWatches() }
        try until("the watches have all changes") {
            loop.keys(of: .live).count == 50 && loop.keys(of: .nodes).count == 50
        }
        expect(loop.keys(of: .live) == (1...50).map { "/log/\($0)" } && loop.keys(of: .nodes) == loop.keys(of: .live))
        try loop.stop()
    }

    @Test func `a wrong password is refused, and the right user is let in`() throws {
        let etcd = try RunningEtcd.guarded()
        let wrong = try EtcdServiceLoop([etcd.port], user: EtcdUser(name: "node", password: "wrong"))
        wrong.call(1, .putIfAbsent("/storykeep/a"))
        expect(try wrong.answer(to: 1) == .refused(.denied))
        try wrong.stop()
        let right = try EtcdServiceLoop([etcd.port], user: EtcdUser(name: "node", password: "secret"))
        right.call(1, .putIfAbsent("/storykeep/a"))
        right.call(2, .putIfAbsent("/elsewhere/a"))
        expect(try right.answer(to: 1).isDone)
        expect(try right.answer(to: 2) == .refused(.denied))
        try right.stop()
    }
}
