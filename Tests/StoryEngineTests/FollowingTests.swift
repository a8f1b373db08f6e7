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
        #expect(link.ticked(at: 1, isQuiet: true) == [.connect])
        #expect(link.connected() == [])
        let greeting = SourceLine.greeting(log, at(source), isReplica: isReplica)
        let actions = link.heard(greeting, head: at(head), at: 1)
        return (link, actions)
    }

    /// A link that receives from position 4 on.
    private func receiving() -> Following {
        var (link, actions) = greeted(source: 3, head: 3)
        #expect(actions == [.ask(.seal(at: at(3))), .seal(at: at(3))])
        #expect(link.sealed("a", at: at(3)) == [])
        #expect(link.heard(.seal("a", at: at(3)), head: at(3), at: 1) == [.ask(.send(from: at(4), log))])
        let accepted = link.heard(.accepted, head: at(3), at: 1)
        #expect(accepted == [.say("source-found", reason: nil), .say("following", reason: nil)])
        return link
    }

    @Test func `an empty replica asks for everything at once, and follows once it has what the source had`() {
        var (link, actions) = greeted(source: 5, head: 0)
        #expect(actions == [.ask(.send(from: at(1), log))])
        #expect(link.heard(.accepted, head: .zero, at: 1) == [.say("source-found", reason: nil)])
        #expect(link.heard(.records(records(1, 3), of: at(5)), head: .zero, at: 1) == [.take])
        #expect(link.taken(through: at(3)) == [])
        #expect(!link.isCurrent)
        #expect(link.heard(.records(records(4, 2), of: at(5)), head: at(3), at: 1) == [.take])
        #expect(link.taken(through: at(5)) == [.say("following", reason: nil)])
        #expect(link.isCurrent && link.source == at(5))
        #expect(link.heard(.caughtUp(at(5)), head: at(5), at: 1) == [])
    }

    @Test func `a replica with events asks for nothing before both seals at its head are equal`() {
        let link = receiving()
        #expect(link.state == .receiving && link.isCurrent)
        var (late, _) = greeted(source: 3, head: 3)
        #expect(late.heard(.seal("a", at: at(3)), head: at(3), at: 1) == [])
        #expect(late.sealed("b", at: at(2)) == [], "the seal at another position says nothing")
        #expect(late.sealed("a", at: at(3)) == [.ask(.send(from: at(4), log))])
    }

    @Test func `another seal at the head, another history and a source that lost events stop it for good`() {
        var (differs, _) = greeted(source: 9, head: 3)
        _ = differs.sealed("a", at: at(3))
        let fault = FollowingFault.sealsDiffer(address, at: at(3))
        #expect(differs.heard(.seal("b", at: at(3)), head: at(3), at: 1) == [.disconnect, .stop(fault)])
        #expect(differs.state == .stopped(fault) && fault.isDivergence)
        #expect(differs.ticked(at: 99, isQuiet: true) == [] && differs.connectionEnded(at: 99) == [])

        var other = Following(address, log: log)
        _ = other.ticked(at: 1, isQuiet: true)
        _ = other.connected()
        let theirs = LogID(trusted: Array("theirs".utf8))
        let actions = other.heard(.greeting(theirs, at(9), isReplica: false), head: at(3), at: 1)
        #expect(actions == [.disconnect, .stop(.otherHistory(address, theirs: theirs, ours: log))])
        #expect(!FollowingFault.otherHistory(address, theirs: theirs, ours: log).isDivergence)

        let (_, behind) = greeted(source: 2, head: 3)
        #expect(behind == [.disconnect, .stop(.sourceBehind(address, source: at(2), here: at(3)))])
    }

    @Test func `a source that is a replica itself may be behind for a while`() {
        let (link, actions) = greeted(source: 2, head: 3, isReplica: true)
        let reason = "the source is at 2, and this replica at 3"
        #expect(actions == [.disconnect, .say("source-lost", reason: reason)])
        #expect(link.state == .waiting(until: 2))
    }

    @Test func `tries are further and further apart, up to three seconds, and only the first failure is traced`() {
        var link = Following(address, log: log)
        #expect(link.ticked(at: 0, isQuiet: false) == [], "events that are not stored are not compared")
        var (tick, delays) = (UInt64(0), [UInt64]())
        for attempt in 0..<8 {
            #expect(link.ticked(at: tick, isQuiet: true) == [.connect])
            let actions = link.connectionFailed("refused", at: tick)
            #expect(actions == (attempt == 0 ? [.say("source-lost", reason: "refused")] : []))
            guard case .waiting(let until) = link.state else { return }
            #expect(link.ticked(at: until - 1, isQuiet: true) == [])
            delays.append(until - tick)
            tick = until
        }
        #expect(delays == [1, 2, 4, 8, 16, 30, 30, 30])
        #expect(link.ticked(at: tick, isQuiet: true) == [.connect])
        _ = link.connected()
        _ = link.heard(.greeting(log, .zero, isReplica: false), head: .zero, at: tick)
        _ = link.heard(.accepted, head: .zero, at: tick)
        let ended = link.connectionEnded(at: tick)
        #expect(ended == [.say("source-lost", reason: "the source closed the connection")])
        #expect(link.state == .waiting(until: tick + 30), "one that brought nothing does not begin the delays again")
    }

    /// Ends a connection that the source agreed to serve, after so many ticks; returns the delay until the next.
    private func delay(_ link: inout Following, lasting ticks: UInt64, takes: Bool, at tick: inout UInt64) -> UInt64 {
        _ = link.ticked(at: tick, isQuiet: true)
        _ = link.connected()
        _ = link.heard(.greeting(log, at(9), isReplica: false), head: .zero, at: tick)
        #expect(link.heard(.accepted, head: .zero, at: tick) == [.say("source-found", reason: nil)])
        tick += ticks
        if takes { _ = link.taken(through: at(1)) }
        let lost = link.heard(.malformed, head: .zero, at: tick)
        #expect(lost.first == .disconnect && lost.count == 2, "each loss of a source that was found is told")
        guard case .waiting(let until) = link.state else { return 0 }
        defer { tick = until }
        return until - tick
    }

    @Test func `a source that accepts and sends nonsense is tried with a growing delay, until it sends records`() {
        var (link, tick) = (Following(address, log: log), UInt64(0))
        let nonsense = (0..<6).map { _ in delay(&link, lasting: 1, takes: false, at: &tick) }
        #expect(nonsense == [1, 2, 4, 8, 16, 30])
        #expect(delay(&link, lasting: 1, takes: true, at: &tick) == 1)
        #expect(delay(&link, lasting: 1, takes: false, at: &tick) == 2)
        #expect(delay(&link, lasting: 100, takes: false, at: &tick) == 1, "it lasted")
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
        #expect(link.heard(line, head: at(3), at: 7) == [.disconnect, .say("source-lost", reason: reason)])
        #expect(link.state == .waiting(until: 8) && !link.isCurrent)
    }

    @Test func `records that cannot follow stop it`() {
        var link = receiving()
        #expect(link.heard(.records(records(4, 1), of: at(4)), head: at(3), at: 1) == [.take])
        let fault = FollowingFault.recordsDiffer(address, .corrupt("x", at: at(4)))
        #expect(link.recordsRefused(.corrupt("x", at: at(4))) == [.disconnect, .stop(fault)])
    }

    @Test func `seals are compared at the newest multiple of 65,536 that is stored, once`() {
        var link = receiving()
        let newest = at(3 * Following.interval)
        #expect(link.stored(through: at(Following.interval - 1)) == [])
        #expect(link.stored(through: newest.next) == [.ask(.seal(at: newest)), .seal(at: newest)])
        #expect(link.stored(through: at(9 * Following.interval)) == [], "one comparison at a time")
        #expect(link.heard(.seal("a", at: newest), head: newest, at: 2) == [])
        #expect(link.sealed("a", at: newest) == [])
        #expect(link.stored(through: newest.next) == [])
        let next = at(4 * Following.interval)
        #expect(link.stored(through: next) == [.ask(.seal(at: next)), .seal(at: next)])
        _ = link.sealed("a", at: next)
        let fault = FollowingFault.sealsDiffer(address, at: next)
        #expect(link.heard(.seal("b", at: next), head: next, at: 2) == [.disconnect, .stop(fault)])
    }

    @Test func `one question at a time asks for the position of the source, for all requests before it`() {
        var link = receiving()
        #expect(link.positionWanted() == (1, [.ask(.position(question: 1))]))
        #expect(link.positionWanted() == (2, []), "the question on its way may have been answered already")
        #expect(link.positionWanted() == (2, []))
        let actions = link.heard(.position(at(7), question: 1), head: at(3), at: 2)
        #expect(actions == [.answer(question: 1, at(7)), .ask(.position(question: 2))])
        #expect(link.heard(.position(at(8), question: 2), head: at(3), at: 2) == [.answer(question: 2, at(8))])
        #expect(link.source == at(8))
    }

    @Test func `a question without an answer is replaced when the source is there again`() {
        var link = receiving()
        #expect(link.positionWanted() == (1, [.ask(.position(question: 1))]))
        _ = link.connectionEnded(at: 1)
        #expect(link.positionWanted() == (2, []))
        #expect(link.ticked(at: 2, isQuiet: true) == [.connect])
        _ = link.connected()
        let actions = link.heard(.greeting(log, at(3), isReplica: false), head: at(3), at: 2)
        #expect(actions == [.ask(.seal(at: at(3))), .seal(at: at(3)), .ask(.position(question: 2))])
    }

    @Test func `a replica that falls far behind catches up again`() {
        var link = receiving()
        #expect(link.heard(.records(records(4, 1), of: at(20_000)), head: at(3), at: 1) == [.take])
        #expect(link.taken(through: at(4)) == [])
        #expect(!link.isCurrent)
        #expect(link.taken(through: at(20_000)) == [.say("following", reason: nil)])
    }
}

private func == (left: (UInt64, [Following.Action]), right: (UInt64, [Following.Action])) -> Bool {
    left.0 == right.0 && left.1 == right.1
}
