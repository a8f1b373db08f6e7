import StoryCore
import StoryEngine
import TestSupport
import Testing

/// The link of a replica to its source, step by step.
struct FollowingTests {
    private let log = LogID(trusted: Array("mine".utf8))
    private let address = "/run/source"

    private func at(_ position: UInt64) -> Position { Position(position) }

    private func records(_ first: UInt64, _ count: Int) -> RawRecords { RawRecords(from: at(first), count: count) }

    /// A link whose source has greeted at a position, while this replica is at another one.
    private func greeted(source: UInt64, head: UInt64, isReplica: Bool = false) -> (Following, [Following.Action]) {
        var link = Following(address, log: log)
        expect(link.ticked(at: 1, isQuiet: true) == [.connect])
        expect(link.connected() == [])
        let greeting = SourceLine.greeting(log, at(source), isReplica: isReplica)
        let actions = link.heard(greeting, head: at(head), at: 1)
        return (link, actions)
    }

    /// Both differ, for the first time: the source is connected to once more, and greets at a position.
    private func look(
        again link: inout Following, _ actions: [Following.Action], for fault: FollowingFault, source: UInt64 = 9,
        head: UInt64 = 3
    ) -> [Following.Action] {
        expect(actions == [.disconnect, .say("source-lost", reason: "\(fault)")])
        expect(link.ticked(at: 99, isQuiet: true) == [.connect] && link.connected() == [])
        return link.heard(.greeting(log, at(source), isReplica: false), head: at(head), at: 99)
    }

    /// A link that receives from position 4 on.
    private func receiving() -> Following {
        var (link, actions) = greeted(source: 3, head: 3)
        expect(actions == [.ask(.seal(at: at(3))), .seal(at: at(3))])
        expect(link.sealed("a", at: at(3), tick: 1) == [])
        expect(link.heard(.seal("a", at: at(3)), head: at(3), at: 1) == [.ask(.send(from: at(4), log))])
        let accepted = link.heard(.accepted, head: at(3), at: 1)
        expect(accepted == [.say("source-found", reason: nil), .say("following", reason: nil)])
        return link
    }

    @Test func `an empty replica asks for everything at once, and follows once it has what the source had`() {
        var (link, actions) = greeted(source: 5, head: 0)
        expect(actions == [.ask(.send(from: at(1), log))])
        expect(link.heard(.accepted, head: .zero, at: 1) == [.say("source-found", reason: nil)])
        expect(link.heard(.records(records(1, 3), of: at(5)), head: .zero, at: 1) == [.take])
        expect(link.taken(through: at(3)) == [])
        expect(!link.isCurrent)
        expect(link.heard(.records(records(4, 2), of: at(5)), head: at(3), at: 1) == [.take])
        expect(link.taken(through: at(5)) == [.say("following", reason: nil)])
        expect(link.isCurrent && link.source == at(5))
        expect(link.heard(.caughtUp(at(5)), head: at(5), at: 1) == [])
    }

    @Test func `a replica with events asks for nothing before both seals at its head are equal`() {
        let link = receiving()
        expect(link.state == .receiving && link.isCurrent)
        var (late, _) = greeted(source: 3, head: 3)
        expect(late.heard(.seal("a", at: at(3)), head: at(3), at: 1) == [])
        expect(late.sealed("b", at: at(2), tick: 1) == [], "the seal at another position says nothing")
        expect(late.sealed("a", at: at(3), tick: 1) == [.ask(.send(from: at(4), log))])
    }

    @Test func `another seal at the head that comes again stops it for good, and one that does not is no reason`() {
        let fault = FollowingFault.sealsDiffer(address, at: at(3))
        for isSame in [false, true] {
            var (link, _) = greeted(source: 9, head: 3)
            _ = link.sealed("a", at: at(3), tick: 1)
            let first = link.heard(.seal("b", at: at(3)), head: at(3), at: 1)
            expect(look(again: &link, first, for: fault) == [.ask(.seal(at: at(3))), .seal(at: at(3))])
            _ = link.sealed("a", at: at(3), tick: 99)
            let second = link.heard(.seal(isSame ? "a" : "b", at: at(3)), head: at(3), at: 99)
            guard isSame else {
                expect(second == [.disconnect, .stop(fault)])
                expect(link.state == .stopped(fault) && fault.isDivergence)
                expect(link.ticked(at: 199, isQuiet: true) == [] && link.connectionEnded(at: 199) == [])
                continue
            }
            expect(second == [.ask(.send(from: at(4), log))])
        }
    }

    @Test func `another history and a source that lost events stop it where the next greeting says the same`() {
        let theirs = LogID(trusted: Array("theirs".utf8))
        let other = FollowingFault.otherHistory(address, theirs: theirs, ours: log)
        expect(!other.isDivergence)
        var link = Following(address, log: log)
        for isSecond in [false, true] {
            expect(link.ticked(at: 50, isQuiet: true) == [.connect] && link.connected() == [])
            let actions = link.heard(.greeting(theirs, at(9), isReplica: false), head: at(3), at: 1)
            expect(actions == [.disconnect, isSecond ? .stop(other) : .say("source-lost", reason: "\(other)")])
        }
        let fault = FollowingFault.sourceBehind(address, source: at(2), here: at(3))
        var (behind, first) = greeted(source: 2, head: 3)
        expect(look(again: &behind, first, for: fault, source: 2) == [.disconnect, .stop(fault)])
    }

    @Test func `a source that is a replica itself may be behind for a while`() {
        let (link, actions) = greeted(source: 2, head: 3, isReplica: true)
        let reason = "the source is at 2, and this replica at 3"
        expect(actions == [.disconnect, .say("source-lost", reason: reason)])
        expect(link.state == .waiting(until: 2))
    }

    @Test func `tries are further and further apart, up to three seconds, and only the first failure is traced`() {
        var link = Following(address, log: log)
        expect(link.ticked(at: 0, isQuiet: false) == [], "events that are not stored are not compared")
        var (tick, delays) = (UInt64(0), [UInt64]())
        for attempt in 0..<8 {
            expect(link.ticked(at: tick, isQuiet: true) == [.connect])
            let actions = link.connectionFailed("refused", at: tick)
            expect(actions == (attempt == 0 ? [.say("source-lost", reason: "refused")] : []))
            guard case .waiting(let until) = link.state else { return }
            expect(link.ticked(at: until - 1, isQuiet: true) == [])
            delays.append(until - tick)
            tick = until
        }
        expect(delays == [1, 2, 4, 8, 16, 30, 30, 30])
        expect(link.ticked(at: tick, isQuiet: true) == [.connect])
        _ = link.connected()
        _ = link.heard(.greeting(log, .zero, isReplica: false), head: .zero, at: tick)
        _ = link.heard(.accepted, head: .zero, at: tick)
        let ended = link.connectionEnded(at: tick)
        expect(ended == [.say("source-lost", reason: "the source closed the connection")])
        expect(link.state == .waiting(until: tick + 30), "one that brought nothing does not begin the delays again")
    }

    /// Ends a connection that the source agreed to serve, after so many ticks; returns the delay until the next.
    private func delay(_ link: inout Following, lasting ticks: UInt64, takes: Bool, at tick: inout UInt64) -> UInt64 {
        _ = link.ticked(at: tick, isQuiet: true)
        _ = link.connected()
        _ = link.heard(.greeting(log, at(9), isReplica: false), head: .zero, at: tick)
        expect(link.heard(.accepted, head: .zero, at: tick) == [.say("source-found", reason: nil)])
        tick += ticks
        if takes { _ = link.taken(through: at(1)) }
        let lost = link.heard(.malformed, head: .zero, at: tick)
        expect(lost.first == .disconnect && lost.count == 2, "each loss of a source that was found is told")
        guard case .waiting(let until) = link.state else { return 0 }
        defer { tick = until }
        return until - tick
    }

    @Test func `a source that accepts and sends nonsense is tried with a growing delay, until it sends records`() {
        var (link, tick) = (Following(address, log: log), UInt64(0))
        let nonsense = (0..<6).map { _ in delay(&link, lasting: 1, takes: false, at: &tick) }
        expect(nonsense == [1, 2, 4, 8, 16, 30])
        expect(delay(&link, lasting: 1, takes: true, at: &tick) == 1)
        expect(delay(&link, lasting: 1, takes: false, at: &tick) == 2)
        expect(delay(&link, lasting: 100, takes: false, at: &tick) == 1, "it lasted")
    }

    @Test(arguments: [
        (SourceLine.malformed, "the source sent a line that is none of the protocol"),
        (.ended("draining"), "the source ends: draining"), (.refused(code: "busy", message: "full"), "busy: full"),
        (.records(RawRecords(from: Position(5), count: 1), of: Position(5)), "records from 5 came, and 4 is next"),
        (.records(RawRecords(from: Position(4), count: 0), of: Position(5)), "records from 4 came, and 4 is next"),
    ])
    func `what does not belong there ends the connection, and the next one is tried`(
        line: SourceLine, reason: String
    ) {
        var link = receiving()
        expect(link.heard(line, head: at(3), at: 7) == [.disconnect, .say("source-lost", reason: reason)])
        expect(link.state == .waiting(until: 8) && !link.isCurrent)
    }

    @Test func `records that cannot follow are asked for again, and stop it where they come again`() {
        var link = receiving()
        let damage = StorageError.corrupt("x", at: at(4))
        let fault = FollowingFault.recordsDiffer(address, damage)
        /// Proves the history, and takes a line of records.
        func receive(_ link: inout Following) {
            _ = link.sealed("a", at: at(3), tick: 99)
            _ = link.heard(.seal("a", at: at(3)), head: at(3), at: 99)
            _ = link.heard(.accepted, head: at(3), at: 99)
            expect(link.heard(.records(records(4, 1), of: at(9)), head: at(3), at: 99) == [.take])
        }
        expect(link.heard(.records(records(4, 1), of: at(4)), head: at(3), at: 1) == [.take])
        _ = look(again: &link, link.recordsRefused(damage, at: 1), for: fault)
        receive(&link)
        var healed = link
        expect(link.recordsRefused(damage, at: 99) == [.disconnect, .stop(fault)])
        // Another position is another byte.
        expect(healed.taken(through: at(4)) == [])
        expect(healed.recordsRefused(damage, at: 99) == [.disconnect, .say("source-lost", reason: "\(fault)")])
    }

    @Test func `seals are compared at the newest multiple of 65,536 that is stored, once`() {
        var link = receiving()
        let newest = at(3 * Following.interval)
        expect(link.stored(through: at(Following.interval - 1)) == [])
        expect(link.stored(through: newest.next) == [.ask(.seal(at: newest)), .seal(at: newest)])
        expect(link.stored(through: at(9 * Following.interval)) == [], "one comparison at a time")
        expect(link.heard(.seal("a", at: newest), head: newest, at: 2) == [])
        expect(link.sealed("a", at: newest, tick: 1) == [])
        expect(link.stored(through: newest.next) == [])
        let next = at(4 * Following.interval)
        expect(link.stored(through: next) == [.ask(.seal(at: next)), .seal(at: next)])
        _ = link.sealed("a", at: next, tick: 1)
        let fault = FollowingFault.sealsDiffer(address, at: next)
        let first = link.heard(.seal("b", at: next), head: next, at: 2)
        expect(first == [.disconnect, .say("source-lost", reason: "\(fault)")] && link.doubt == at(3))
    }

    @Test func `one question at a time asks for the position of the source, for all requests before it`() {
        var link = receiving()
        expect(link.positionWanted() == (1, [.ask(.position(question: 1))]))
        expect(link.positionWanted() == (2, []), "the question on its way may have been answered already")
        expect(link.positionWanted() == (2, []))
        let actions = link.heard(.position(at(7), question: 1), head: at(3), at: 2)
        expect(actions == [.answer(question: 1, at(7)), .ask(.position(question: 2))])
        expect(link.heard(.position(at(8), question: 2), head: at(3), at: 2) == [.answer(question: 2, at(8))])
        expect(link.source == at(8))
    }

    @Test func `a question without an answer is replaced when the source is there again`() {
        var link = receiving()
        expect(link.positionWanted() == (1, [.ask(.position(question: 1))]))
        _ = link.connectionEnded(at: 1)
        expect(link.positionWanted() == (2, []))
        expect(link.ticked(at: 2, isQuiet: true) == [.connect])
        _ = link.connected()
        let actions = link.heard(.greeting(log, at(3), isReplica: false), head: at(3), at: 2)
        expect(actions == [.ask(.seal(at: at(3))), .seal(at: at(3)), .ask(.position(question: 2))])
    }

    @Test func `a replica that falls far behind catches up again`() {
        var link = receiving()
        expect(link.heard(.records(records(4, 1), of: at(20_000)), head: at(3), at: 1) == [.take])
        expect(link.taken(through: at(4)) == [])
        expect(!link.isCurrent)
        expect(link.taken(through: at(20_000)) == [.say("following", reason: nil)])
    }
}

private func == (left: (UInt64, [Following.Action]), right: (UInt64, [Following.Action])) -> Bool {
    left.0 == right.0 && left.1 == right.1
}
