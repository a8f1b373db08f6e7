import StoryCore
import TestSupport
import Testing

@testable import StoryCluster

/// The writes that a node passes on, as sequences of equalities.
struct ForwardedWritesTests {
    private let log = LogID(trusted: Array("ours".utf8))
    private let text = Array(" {}".utf8)

    private func leader(_ node: String, term: Int64) -> Leader {
        Leader(node: node, address: "/\(node)", nonce: "", term: Term(term))
    }

    /// A write of a client, whose line has a number.
    private func write(_ number: Int, of client: UInt64 = 1, key: Bool = false) -> ForwardedWrite {
        ForwardedWrite(
            client: client, verb: .write(.append), tag: nil, user: 5, line: Array("APPEND \(number)".utf8),
            verbIndex: 0, isRepeatable: key)
    }

    private func asked(_ number: UInt64, _ line: Int) -> ForwardingAction {
        .ask(.write(number, user: 5, text: Array("APPEND \(line)".utf8)[...]))
    }

    private func reply(_ kind: String) -> [UInt8] { Array("\(kind) {}\n".utf8) }

    /// Writes with an open link to n1, whose term is 1.
    private func open(patience: UInt64 = 10) -> ForwardedWrites {
        var writes = ForwardedWrites(log, node: "n3", at: .zero, patience: patience)
        expect(writes.leaderIs(leader("n1", term: 1), at: 0) == [.connect("/n1")])
        expect(writes.heard(.greeting(log), at: 0) == [.say("leader-reached", reason: nil)])
        return writes
    }

    @Test func `a write is sent once the other side has greeted, and answered once this node is at its position`() {
        var writes = ForwardedWrites(log, node: "n3", at: .zero, patience: 10)
        expect(writes.add(write(1), at: 0) == [])
        expect(writes.leaderIs(leader("n1", term: 1), at: 0) == [.connect("/n1")])
        expect(writes.heard(.greeting(log), at: 0) == [.say("leader-reached", reason: nil), asked(1, 1)])
        expect(writes.add(write(2, of: 2), at: 0) == [asked(2, 2)])
        expect(writes.heard(.done(1, Position(4), text: text), at: 0) == [])
        expect(writes.heard(.row(2, text: text), at: 0) == [])
        let second = ForwardingAction.answer(write(2, of: 2), .reply(reply("=") + reply("+"), nil))
        expect(writes.heard(.done(2, .zero, text: text), at: 0) == [second], "another client does not wait")
        expect(!writes.isSettled)
        expect(writes.reached(Position(3)) == [])
        expect(writes.reached(Position(4)) == [.answer(write(1), .reply(reply("+"), nil))])
        expect(writes.isSettled)
    }

    @Test func `a store with another history is no leader of this log`() {
        var writes = ForwardedWrites(log, node: "n3", at: .zero, patience: 10)
        _ = writes.leaderIs(leader("n1", term: 1), at: 0)
        let other = LogID(trusted: Array("theirs".utf8))
        expect(
            writes.heard(.greeting(other), at: 0) == [
                .disconnect, .say("leader-lost", reason: "it has another history"),
            ])
        expect(writes.ticked(1) == [.connect("/n1")])
    }

    @Test func `where the link breaks, a write with a key goes on, and others are unknown, in their order`() {
        var writes = open()
        _ = writes.add(write(1, key: true), at: 0)
        _ = writes.add(write(2), at: 0)
        _ = writes.add(write(3, of: 2), at: 0)
        expect(
            writes.linkEnded(isRefused: false, "gone", at: 0) == [
                .answer(write(3, of: 2), .unknown), .say("leader-lost", reason: "gone"), .connect("/n1"),
            ])
        expect(writes.heard(.greeting(log), at: 0) == [.say("leader-reached", reason: nil), asked(1, 1)])
        expect(
            writes.heard(.done(1, nil, text: text), at: 0) == [
                .answer(write(1, key: true), .reply(reply("+"), nil)), .answer(write(2), .unknown),
            ])
    }

    @Test func `a leader that ends has not carried out what it did not answer`() {
        var writes = open()
        _ = writes.add(write(1), at: 0)
        _ = writes.add(write(2), at: 0)
        expect(writes.heard(.failed(1, .draining, nil, text: text), at: 0) == [])
        expect(writes.add(write(3), at: 0) == [], "nothing overtakes what is to be sent again")
        expect(writes.heard(.draining, at: 0) == [.disconnect, .say("leader-lost", reason: "it ends")])
        expect(writes.leaderIs(leader("n2", term: 2), at: 0) == [.connect("/n2")])
        expect(
            writes.heard(.greeting(log), at: 0) == [
                .say("leader-reached", reason: nil), asked(1, 1), asked(2, 2), asked(3, 3),
            ])
    }

    @Test func `another leader is turned to once the one before has answered, or after half a second`() {
        var writes = open()
        _ = writes.add(write(1), at: 0)
        expect(writes.leaderIs(leader("n2", term: 2), at: 0) == [])
        expect(writes.heard(.done(1, nil, text: text), at: 1) == [.answer(write(1), .reply(reply("+"), nil))])
        expect(writes.ticked(1) == [.disconnect, .connect("/n2")])
        _ = writes.heard(.greeting(log), at: 1)
        _ = writes.add(write(2, key: true), at: 1)
        expect(writes.leaderIs(leader("n1", term: 3), at: 2) == [])
        expect(writes.ticked(6) == [])
        expect(writes.ticked(7) == [.disconnect, .connect("/n1")])
    }

    @Test func `a write that was in doubt once is not said to be not carried out`() {
        var writes = open()
        let none = PeerLine.failed(1, .unavailable, UnavailableOutcome.none, text: text)
        _ = writes.add(write(1, key: true), at: 0)
        expect(writes.heard(.failed(1, .unavailable, .unknown, text: text), at: 0) == [])
        _ = writes.linkEnded(isRefused: false, "gone", at: 0)
        expect(writes.heard(.greeting(log), at: 0).last == asked(1, 1))
        expect(writes.heard(none, at: 0) == [])
        expect(writes.ticked(10).last == .answer(write(1, key: true), .unknown))

        var others = open()
        _ = others.add(write(1, key: true), at: 0)
        expect(others.heard(none, at: 0) == [])
        expect(others.ticked(10).last == .answer(write(1, key: true), .leaderless))
    }

    @Test func `nothing waits for longer than it should`() {
        var writes = open()
        _ = writes.add(write(1), at: 0)
        _ = writes.add(write(2, of: 2), at: 0)
        _ = writes.heard(.done(2, Position(9), text: text), at: 5)
        expect(writes.ticked(14) == [])
        expect(writes.ticked(15) == [.answer(write(2, of: 2), .reply(reply("+"), nil))], "it is not at 9 yet")
        expect(writes.ticked(19) == [])
        expect(writes.ticked(20) == [.answer(write(1), .unknown)])
        expect(writes.heard(.done(1, nil, text: text), at: 21) == [], "too late")
    }

    @Test func `a refusal leaves once this node has what the leader had`() {
        var writes = open()
        _ = writes.add(write(1), at: 0)
        expect(writes.heard(.failed(1, .conflict, nil, text: text), at: 0) == [.ask(.position(1))])
        expect(writes.heard(.done(1, Position(3), text: Array(" no".utf8)), at: 0) == [])
        expect(writes.reached(Position(3)) == [.answer(write(1), .reply(reply("-"), .conflict))])
    }

    @Test func `only a link that was open, and is refused then, says that the leader is gone`() {
        var writes = ForwardedWrites(log, node: "n3", at: .zero, patience: 10)
        _ = writes.leaderIs(leader("n1", term: 1), at: 0)
        expect(writes.linkEnded(isRefused: true, "refused", at: 0) == [.say("leader-lost", reason: "refused")])
        expect(writes.ticked(1) == [.connect("/n1")])
        _ = writes.heard(.greeting(log), at: 1)
        expect(
            writes.linkEnded(isRefused: false, "reset", at: 2) == [
                .say("leader-lost", reason: "reset"), .connect("/n1"),
            ])
        expect(writes.linkEnded(isRefused: true, "refused", at: 2) == [.leaderIsGone(Term(1))])
        expect(writes.ticked(3) == [.connect("/n1")])
        expect(writes.linkEnded(isRefused: true, "refused", at: 3) == [], "once")
    }

    @Test func `a leader that greets and breaks off is tried with a growing delay, until it replies`() {
        var (writes, tick) = (open(), UInt64(0))
        /// Breaks the open link; returns the delay until the next.
        func delay(lasting ticks: UInt64 = 0) -> UInt64 {
            tick += ticks
            let began = tick
            var actions = writes.linkEnded(isRefused: false, "gone", at: tick)
            while !actions.contains(.connect("/n1")), tick < began + 50 {
                tick += 1
                actions = writes.ticked(tick)
            }
            _ = writes.heard(.greeting(log), at: tick)
            return tick - began
        }
        expect((0..<12).map { _ in delay() } == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10])
        expect(delay(lasting: 100) == 0, "it lasted")
        expect(delay() == 1)
        _ = writes.add(write(1), at: tick)
        _ = writes.heard(.done(1, .zero, text: text), at: tick)
        expect(delay() == 0)
    }

    @Test func `this node takes over what no other has, up to what another one has`() {
        var writes = open()
        _ = writes.add(write(1), at: 0)
        _ = writes.linkEnded(isRefused: true, "gone", at: 0)
        _ = writes.add(write(2), at: 0)
        _ = writes.add(write(3, key: true), at: 0)
        expect(writes.leaderIs(leader("n3", term: 2), at: 0) == [.disconnect], "it is this one")
        expect(writes.waitingClients == [1])
        expect(writes.takeWaiting(of: 1) == write(2))
        expect(writes.carriedOut(of: 1) == [])
        expect(writes.takeWaiting(of: 1) == write(3, key: true))
        expect(writes.takeWaiting(of: 1) == nil && writes.waitingClients == [] && writes == writes)
    }

    @Test func `a client whose connection ends is told what is known`() {
        var writes = open()
        _ = writes.add(write(1), at: 0)
        _ = writes.heard(.done(1, Position(9), text: text), at: 0)
        _ = writes.add(write(2), at: 0)
        _ = writes.heard(.failed(2, .draining, nil, text: text), at: 0)
        let told = writes.clientEnds(1)
        expect(told.map(\.0) == [write(1), write(2)])
        expect(told.map(\.1) == [.reply(reply("+"), nil), .leaderless])
        expect(writes.isSettled && writes.clientEnds(1).isEmpty)
    }
}
