import Glibc
import StoryCluster
import StoryEtcd
import TestSupport
import Testing

/// A real etcd that is full, wants a user, is killed or stopped.
@Suite(.serialized) struct EtcdTroubleTests {
    @Test func `an etcd that is full says so also of what it did, and deletes all the same`() throws {
        var (full, there, attempts) = (Set<String>(), Set<String>(), 0)
        // Those that pass the first look at the quota, and then find it used up, are done.
        while full.isDisjoint(with: there), attempts < 20 {
            attempts += 1
            let etcd = try RunningEtcd(["--quota-backend-bytes", "\(4 << 20)"])
            let link = try EtcdLink(etcd.port)
            let answered = try fill(link)
            full = Set(answered.filter { $0.value == .full }.keys)
            there = Set((try link.call(.range(.prefix("/k/", isKeysOnly: true))).keys ?? []).map(\.key))
            expect(answered.values.allSatisfy { $0 == .full || $0.isDone })
            expect(there.isSuperset(of: answered.filter { $0.value.isDone }.keys))
            try checkFull(link)
        }
        // This is why the answer is not a refusal.
        expect(!full.isDisjoint(with: there))
    }

    /// Puts keys, always 16 at a time, until etcd is full; returns the answers by the keys.
    private func fill(_ link: EtcdLink) throws -> [String: OrderingAnswer] {
        let value = [UInt8](repeating: 1, count: 20_000)
        var waiting: [(key: String, id: CallID)] = []
        var (answers, next) = ([String: OrderingAnswer](), 0)
        while !answers.values.contains(.full) || !waiting.isEmpty {
            if !answers.values.contains(.full), waiting.count < 16 {
                let (key, id) = ("/k/\(next)", link.makeID())
                link.session.call(id, .putIfAbsent(key, value))
                waiting.append((key, id))
                next += 1
            } else {
                let first = waiting.removeFirst()
                answers[first.key] = try link.answer(to: first.id)
            }
        }
        return answers
    }

    /// Checks that puts and leases are not possible any more, and deletes are.
    private func checkFull(_ link: EtcdLink) throws {
        let put = OrderingCall.putIfAbsent("/k/later", [UInt8](repeating: 1, count: 100_000))
        try until("etcd is full") { try link.call(put) == .full }
        _ = try link.call(.transaction(OrderingTransaction(conditions: [], then: [.delete(.prefix("/k/later"))])))
        expect(try link.call(put) == .full)
        expect(try link.call(.get("/k/later")).keys == [])
        expect(try link.call(.grantLease(seconds: 10)) == .full)
        let delete = OrderingTransaction(conditions: [], then: [.delete(.prefix("/k/"))])
        expect(try link.call(.transaction(delete)).isDone)
    }

    @Test func `a user's token goes with all requests, and is asked for again where it is not valid any more`() throws {
        let etcd = try RunningEtcd.guarded()
        let link = try EtcdLink(etcd.port, user: EtcdUser(name: "node", password: "secret"))
        let id = link.makeID()
        link.session.watch(id, OrderingWatch(.prefix("/storykeep/"), revision: 1))
        expect(try link.call(.putIfAbsent("/storykeep/a", [1])).isDone)
        expect(try link.batches(of: id) { !$0.isEmpty }.flatMap(\.changes).count == 1)
        let lease = try link.grant(seconds: 60)
        expect(try link.call(.renewLease(lease)) == .renewed(seconds: 60))
        guard case .status = try link.call(.status) else { throw Unexpected(lease) }
        expect(try link.call(.putIfAbsent("/elsewhere", [1])) == .refused(.denied))
        // A new password ends all tokens of a user; the old password is then refused.
        _ = try etcd.control(["--user", "root:root", "user", "passwd", "node", "--interactive=false"], input: "secret")
        expect(try link.call(.putIfAbsent("/storykeep/b", [1])).isDone)
        let again = link.makeID()
        _ = try etcd.control(["--user", "root:root", "user", "passwd", "node", "--interactive=false"], input: "secret")
        link.session.watch(again, OrderingWatch(.prefix("/storykeep/"), revision: 1))
        expect(try link.batches(of: again) { !$0.isEmpty }.flatMap(\.changes).count == 2)
        _ = try etcd.control(["--user", "root:root", "user", "passwd", "node", "--interactive=false"], input: "other")
        expect(try link.call(.putIfAbsent("/storykeep/c", [1])) == .refused(.denied))
    }

    @Test func `a wrong password, no user and a range that is not permitted are refused`() throws {
        let etcd = try RunningEtcd.guarded()
        let wrong = try EtcdLink(etcd.port, user: EtcdUser(name: "node", password: "wrong"))
        expect(
            try wrong.answers([.get("/storykeep/a"), .put("/storykeep/a", [1])]) == [
                .refused(.denied), .refused(.denied),
            ])
        let watch = wrong.makeID()
        wrong.session.watch(watch, OrderingWatch(.prefix("/storykeep/"), revision: 1))
        expect(try wrong.end(of: watch) == .refused(.denied))
        let nobody = try EtcdLink(etcd.port)
        expect(try nobody.call(.get("/storykeep/a")) == .refused(.denied))
        let right = try EtcdLink(etcd.port, user: EtcdUser(name: "node", password: "secret"))
        expect(try right.call(.get("/storykeep/a")).keys == [])
        let elsewhere = right.makeID()
        right.session.watch(elsewhere, OrderingWatch(.prefix("/elsewhere/"), revision: 1))
        expect(try right.end(of: elsewhere) == .refused(.denied))
        expect(try right.call(.get("/storykeep/a")).keys == [])
    }

    @Test func `a user is let in where etcd asks for none`() throws {
        let etcd = try RunningEtcd()
        let link = try EtcdLink(etcd.port, user: EtcdUser(name: "node", password: "secret"))
        expect(try link.call(.put("/a", [1])).isDone)
    }

    @Test func `a kill in the middle leaves all calls unknown, and ends watches and the session`() throws {
        let etcd = try RunningEtcd()
        let link = try EtcdLink(etcd.port)
        let watch = link.makeID()
        link.session.watch(watch, OrderingWatch(.prefix("/log/"), revision: 1))
        let lease = try link.grant(seconds: 60)
        // A stopped process answers nothing, and its socket takes the requests.
        try etcd.pause()
        let calls: [OrderingCall] = [.put("/log/1", [1]), .get("/log/1"), .renewLease(lease), .grantLease(seconds: 5)]
        let ids = calls.map { call in
            let id = link.makeID()
            link.session.call(id, call)
            return id
        }
        link.step()
        try etcd.kill()
        try link.wait("the end of the session") {
            $0.contains { if case .connectionFailed = $0 { true } else { false } }
        }
        expect(
            link.results == [.watchEnded(watch, .broken)] + ids.map { .answered($0, .unknown) }
                + [.connectionFailed(.closed)])
        expect(link.session.hasEnded)
        let late = link.makeID()
        link.session.call(late, .get("/a"))
        expect(link.session.takeResults() == [.answered(late, .unknown)])
    }

    @Test func `a program that is paused has no thread that runs, and goes on where it is resumed`() throws {
        let etcd = try RunningEtcd()
        let link = try EtcdLink(etcd.port)
        let threads = "/proc/\(etcd.pid)/task"
        for round in 0..<30 {
            // It has something to do meanwhile.
            for number in 0..<20 { link.session.call(link.makeID(), .put("/\(round)/\(number)", [1])) }
            link.step()
            try etcd.pause()
            let states = try Files.names(in: threads).map { thread in
                Files.text("\(threads)/\(thread)/status").split(separator: "\n").first { $0.hasPrefix("State:") }
            }
            expect(states.count > 1 && states.allSatisfy { $0 == "State:\tT (stopped)" }, "\(states)")
            try etcd.resume()
        }
        // A request that waits for no other one may be carried out before it.
        try until("it is carried out") { try link.call(.get("/29/0")).keys?.count == 1 }
    }

    @Test func `etcd that is stopped in order ends the session, and nothing is refused`() throws {
        let etcd = try RunningEtcd()
        let link = try EtcdLink(etcd.port)
        let watch = link.makeID()
        link.session.watch(watch, OrderingWatch(.prefix("/log/"), revision: 1))
        expect(try link.call(.put("/log/1", [1])).isDone)
        etcd.send(SIGTERM)
        try link.wait("the end of the session") {
            $0.contains { if case .connectionFailed = $0 { true } else { false } }
        }
        expect(link.results.contains(.watchEnded(watch, .broken)))
    }
}
