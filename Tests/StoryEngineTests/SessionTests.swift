import StoryCore
import StoryEngine
import StoryModels
import Testing
import TestSupport

struct SessionTests {
    private let other = SessionID(2)
    private let peer = Peer(uid: 7, role: .write)

    private func greeting(_ world: EngineHarness, _ limits: Limits = Limits()) -> Notice {
        .greeting(
            Greeting(
                server: "test", position: world.log.head, log: LogID(trusted: "this".bytes), limits: limits, peer: peer)
        )
    }

    private func subscribed(_ number: UInt64, _ world: EngineHarness, _ id: SessionID) -> Effect {
        .reply(id, nil, .done(.subscribed(SubscriptionID(number), position: world.log.head)))
    }

    @Test func `a connection is greeted with what holds for it`() {
        let world = smallWorld()
        #expect(world.update(.connected(other, peer)) == [.notify(other, greeting(world))])
    }

    @Test func `an event says who wrote it`() {
        let world = smallWorld()
        world.update(.connected(other, peer))
        #expect(world.ask(.append("note-a", "A"), as: other).events.map(\.by) == [7])
    }

    @Test func `one connection too many is told so and closed, and there is room when one goes`() {
        var limits = Limits()
        limits.connections = 2
        let world = EngineHarness(limits: limits)
        #expect(world.update(.connected(other, peer)) == [.notify(other, greeting(world, limits))])
        let third = SessionID(3)
        let effects = world.update(.connected(third, peer))
        #expect(effects.count == 2)
        #expect(effects.last == .finish(third))
        #expect(Answer(effects: effects).code == .busy)
        #expect(world.ask(.ping, as: third).effects == [])
        #expect(world.update(.disconnected(other)) == [])
        #expect(world.update(.connected(third, peer)) == [.notify(third, greeting(world, limits))])
    }

    @Test func `a request of a connection that is gone is not carried out`() {
        let world = smallWorld()
        world.update(.connected(other, peer))
        world.update(.disconnected(other))
        #expect(world.ask(.append("note-a", "A"), as: other).effects == [])
        #expect(world.log.head == Position(3))
    }

    @Test func `subscriptions are numbered for each connection, and no number comes again`() {
        let world = smallWorld()
        world.update(.connected(other, peer))
        let all = EventSelection(source: .all)
        let first = world.ask(.subscribe(SubscribeQuery(all)))
        #expect(
            first.effects == [
                subscribed(1, world, world.session),
                .follow(world.session, SubscriptionID(1), all, from: Position(4)),
            ])
        let note = EventSelection(source: .stream("note-a".stream), types: ["A".type])
        let second = world.ask(.subscribe(SubscribeQuery(note, from: .position(Position(2)))))
        #expect(second.effects.last == .follow(world.session, SubscriptionID(2), note, from: Position(2)))
        #expect(world.ask(.subscribe(SubscribeQuery(all)), as: other).effects.first == subscribed(1, world, other))
        let off = world.ask(.unsubscribe(SubscriptionID(1)))
        #expect(off.effects.first == .unfollow(world.session, SubscriptionID(1)))
        #expect(off.done != nil)
        #expect(world.ask(.unsubscribe(SubscriptionID(1))).code == .notFound)
        #expect(world.ask(.unsubscribe(SubscriptionID(9))).code == .notFound)
        #expect(world.ask(.subscribe(SubscribeQuery(all))).effects.first == subscribed(3, world, world.session))
    }

    @Test func `a connection has as many subscriptions as it may have, and one more when one ends`() {
        var limits = Limits()
        limits.subscriptions = 2
        let world = EngineHarness(limits: limits)
        let all = EventSelection(source: .all)
        world.ask(.subscribe(SubscribeQuery(all)))
        world.ask(.subscribe(SubscribeQuery(all)))
        let refused = world.ask(.subscribe(SubscribeQuery(all)))
        #expect(refused.code == .tooLarge)
        #expect(refused.failure?.detail == .limit(2))
        #expect(refused.effects.count == 1)
        world.ask(.unsubscribe(SubscriptionID(1)))
        #expect(world.ask(.subscribe(SubscribeQuery(all))).effects.first == subscribed(3, world, world.session))
    }

    @Test func `draining ends every subscription, says so to each connection, and takes nothing more`() {
        let world = smallWorld()
        world.update(.connected(other, peer))
        let all = EventSelection(source: .all)
        for _ in 0..<3 { world.ask(.subscribe(SubscribeQuery(all))) }
        world.ask(.unsubscribe(SubscriptionID(2)))
        let effects = world.update(.drainRequested)
        #expect(
            effects == [
                .endFollowing(world.session, SubscriptionID(1), reason: .draining),
                .endFollowing(world.session, SubscriptionID(3), reason: .draining),
                .notify(world.session, .draining(Position(3))), .finish(world.session),
                .notify(other, .draining(Position(3))), .finish(other),
            ])
        let late = world.ask(.append("note-a", "A"), tag: Tag("t".bytes))
        #expect(late.code == .draining)
        #expect(late.effects.count == 1)
        #expect(world.ask(.getting(.users, "u1")).code == .draining)
        let third = SessionID(3)
        #expect(Answer(effects: world.update(.connected(third, peer))).code == .draining)
        #expect(world.log.head == Position(3))
    }

    @Test func `while writes are refused, reading and what changes nothing go on`() {
        let world = smallWorld()
        let full = Failure(.full, "the disk is full")
        #expect(world.update(.writesRefused(full)) == [])
        #expect(world.ask(.append("note-a", "A")).failure == full)
        #expect(world.ask(.postStory("s2")).failure == full)
        #expect(world.ask(.postStory("s1")).code == .exists)
        #expect(world.ask(.unliking("s1", by: "u1")).isUnchanged)
        #expect(world.ask(.getting(.stories, "s1")).row != nil)
        #expect(world.log.head == Position(3))
        #expect(world.update(.writesAllowed) == [])
        #expect(world.ask(.postStory("s2")).receipt?.position == Position(4))
        #expect(world.log.events.last?.streamNumber == StreamNumber(4))
    }

    @Test func `after a rollback the engine goes on from what is left`() {
        let world = smallWorld()
        let left = EngineHarness(world.log.events)
        let rolled = RolledBackWorld()
        rolled.ask(.postStory("s2"))
        rolled.ask(.append("note-a", "A", "B"))
        rolled.rollBack(to: Position(3))
        #expect(rolled.ask(.ping) == [.done(.members([Member("position", .count(3))]))])
        #expect(rolled.ask(.getting(.stories, "s2")).count == 1)
        #expect(rolled.ask(.postStory("s2")) == left.ask(.postStory("s2")).replies)
        #expect(rolled.ask(.append("note-a", "A")) == left.ask(.append("note-a", "A")).replies)
    }

    @Test func `what the shell answers is passed on to it`() {
        let world = smallWorld()
        #expect(world.ask(.stats, tag: Tag("t".bytes)).effects == [.report(world.session, Tag("t".bytes))])
        #expect(world.ask(.checkpoint).effects == [.checkpoint(world.session, nil)])
        #expect(world.ask(.help("GET")).effects == [.help(world.session, nil, topic: "GET")])
        #expect(world.ask(.quit).effects.last == .finish(world.session))
    }
}

/// An engine over a store that a failed commit takes back, as the shell does: to the checkpoint, and folded again.
private final class RolledBackWorld {
    private let store = SwappedStore()
    private let log = PlainLog()
    private let engine: Engine
    private let session = SessionID(1)
    private let now = EngineHarness().now

    init() {
        engine = Engine(
            store: store, log: log, identity: LogIdentity(id: LogID(trusted: "this".bytes)), limits: Limits(),
            server: "test")
        _ = engine.update(.connected(session, Peer(uid: 1_000, role: .admin)), now: now)
        for request in [RequestAction.postUser("u1"), .postUser("u2"), .postStory("s1")] { ask(request) }
    }

    @discardableResult
    func ask(_ action: RequestAction) -> [Reply] {
        let effects = engine.update(.requested(session, Request(tag: nil, action: action)), now: now)
        for case .append(let event) in effects { log.append(event) }
        return Answer(effects: effects).replies
    }

    func rollBack(to position: Position) {
        log.truncate(after: position)
        store.current = PlainStore()
        let projector = Projector(store)
        for event in log.events { projector.fold(event) }
        _ = engine.update(.rolledBack, now: now)
    }
}

/// A store whose contents can be thrown away while it is in use.
private final class SwappedStore: ModelStore {
    var current = PlainStore()

    func value(in table: Table, at key: [UInt8]) -> [UInt8]? { current.value(in: table, at: key) }
    func put(_ value: [UInt8], in table: Table, at key: [UInt8]) { current.put(value, in: table, at: key) }
    func remove(in table: Table, at key: [UInt8]) { current.remove(in: table, at: key) }
    func scan(_ table: Table, _ range: KeyRange, _ order: Order, _ visit: ([UInt8], [UInt8]) -> Bool) {
        current.scan(table, range, order, visit)
    }
}
