import StoryCore
import StoryEngine
import StoryFold
import StoryWire
import Testing
import TestSupport

/// What the engine does for connections beside answering: greeting, subscribing, draining, refusing.
struct SessionTests {
    private let peer = Peer(uid: 7, role: .write)
    private let all = EventSelection(source: .all)

    private func subscribed(_ number: UInt64, _ world: EngineHarness) -> Effect {
        .reply(nil, .done(.subscribed(SubscriptionID(number), position: world.log.head)), restsOn: .zero)
    }

    @Test func `a connection is greeted with what holds for it, and with what is durable`() {
        let world = smallWorld()
        world.durable = Position(2)
        let output = world.output()
        expect(world.engine.connected(peer, beside: 0, into: output))
        let greeting = Greeting(
            server: "test", position: Position(2), log: LogID(trusted: "this".bytes), limits: Limits(), peer: peer)
        expect(output.effects == [.notify(.greeting(greeting))])
    }

    @Test func `an event says who wrote it`() {
        let world = smallWorld()
        var other = Session(peer: peer)
        expect(world.ask(.append("note-a", "A"), as: &other).events.map(\.by) == [7])
        expect(other.lastWritten == Position(4))
    }

    @Test func `one connection too many is told so, the last one is an admin's, and at the end there is none`() {
        for (most, role, room) in [(2, Role.admin, 2), (2, .write, 1), (1, .read, 1), (9, .write, 8)] {
            var limits = Limits()
            limits.connections = most
            let (world, peer) = (EngineHarness(limits: limits), Peer(uid: 7, role: role))
            let output = world.output()
            expect(world.engine.connected(peer, beside: room - 1, into: output))
            expect(!world.engine.connected(peer, beside: room, into: output))
            expect(Answer(effects: output.effects).code == .busy)
            output.isEnding = true
            expect(!world.engine.connected(peer, beside: 0, into: output))
            expect(Answer(effects: output.effects).code == .draining)
        }
    }

    @Test func `subscriptions are numbered for each connection, and no number comes again`() {
        let world = smallWorld()
        var other = Session(peer: peer)
        expect(world.ask(.subscribe(SubscribeQuery(all))).effects == [subscribed(1, world)])
        let note = EventSelection(source: .stream("note-a".stream), EventQuery(types: ["A".type]))
        world.ask(.subscribe(SubscribeQuery(note, from: .position(Position(2)))))
        expect(
            world.session.active.all == [
                Subscription(id: SubscriptionID(1), selection: all, from: Position(4)),
                Subscription(id: SubscriptionID(2), selection: note, from: Position(2)),
            ])
        expect(world.ask(.subscribe(SubscribeQuery(all)), as: &other).effects == [subscribed(1, world)])
        expect(world.ask(.unsubscribe(SubscriptionID(1))).done != nil)
        expect(world.ask(.unsubscribe(SubscriptionID(1))).code == .notFound)
        expect(world.ask(.unsubscribe(SubscriptionID(9))).code == .notFound)
        expect(world.ask(.subscribe(SubscribeQuery(all))).effects == [subscribed(3, world)])
        expect(world.session.active.all.map(\.id) == [SubscriptionID(2), SubscriptionID(3)])
    }

    @Test func `one that is ended tells where it stands, not where the store is`() {
        let world = smallWorld()
        world.ask(.subscribe(SubscribeQuery(all, from: .position(Position(2)))))
        let members = [Member("unsubscribed", .count(1)), Member("resume", .count(2))]
        expect(world.ask(.unsubscribe(SubscriptionID(1))).done == .members(members))
    }

    @Test func `a connection has as many subscriptions as it may have, and one more when one ends`() {
        var limits = Limits()
        limits.subscriptions = 2
        let world = EngineHarness(limits: limits)
        world.ask(.subscribe(SubscribeQuery(all)))
        world.ask(.subscribe(SubscribeQuery(all)))
        let refused = world.ask(.subscribe(SubscribeQuery(all)))
        expect(refused.code == .tooLarge)
        expect(refused.failure?.detail == .limit(2))
        world.ask(.unsubscribe(SubscriptionID(1)))
        expect(world.ask(.subscribe(SubscribeQuery(all))).effects == [subscribed(3, world)])
    }

    @Test func `QUIT ends every subscription with where to go on, then says goodbye`() {
        let world = smallWorld()
        world.ask(.subscribe(SubscribeQuery(all, from: .position(Position(2)))))
        world.ask(.subscribe(SubscribeQuery(all)))
        let bye = Done.members([Member("bye", .flag(true)), Member("position", .count(3))])
        expect(
            world.ask(.quit).effects == [
                .push(SubscriptionID(1), .end(.quit, resume: Position(2))),
                .push(SubscriptionID(2), .end(.quit, resume: Position(4))),
                .reply(nil, .done(bye), restsOn: Position(3)), .finish,
            ])
        expect(world.session.subscriptionCount == 0)
    }

    @Test func `once it drains, nothing more is taken up`() {
        let world = smallWorld()
        world.isEnding = true
        let late = world.ask(.append("note-a", "A"), tag: Tag("t".bytes))
        expect(late.effects == [.reply(Tag("t".bytes), .failed(.draining), restsOn: .zero)])
        expect(world.ask(.getting(.users, "u1")).code == .draining)
        expect(world.log.head == Position(3))
    }

    @Test func `while writes are refused, reading and what changes nothing go on`() {
        let world = smallWorld()
        let full = Failure(.full, "the disk is full")
        world.engine.writesRefused(full)
        expect(world.ask(.append("note-a", "A")).failure == full)
        expect(world.ask(.postStory("s2")).failure == full)
        expect(world.ask(.postStory("s1")).code == .exists)
        expect(world.ask(.unliking("s1", by: "u1")).isUnchanged)
        expect(world.ask(.getting(.stories, "s1")).row != nil)
        expect(world.log.head == Position(3))
        world.engine.writesRefused(nil)
        expect(world.ask(.postStory("s2")).receipt?.position == Position(4))
        expect(world.log.events.last?.streamNumber == StreamNumber(4))
    }

    @Test func `after a rollback the engine goes on from what is left`() {
        let world = smallWorld()
        let left = EngineHarness(world.log.events)
        let rolled = RolledBackWorld()
        rolled.ask(.postStory("s2"))
        rolled.ask(.append("note-a", "A", "B"))
        rolled.rollBack(to: Position(3))
        expect(rolled.ask(.ping) == [.done(.members([Member("position", .count(3))]))])
        expect(rolled.ask(.getting(.stories, "s2")).count == 1)
        expect(rolled.ask(.postStory("s2")) == left.ask(.postStory("s2")).replies)
        expect(rolled.ask(.append("note-a", "A")) == left.ask(.append("note-a", "A")).replies)
    }

    @Test func `what the shell does is asked of it`() {
        let world = smallWorld()
        expect(world.ask(.stats, tag: Tag("t".bytes)).effects == [.start(Tag("t".bytes), .stats, at: nil)])
        expect(world.ask(.checkpoint).effects == [.start(nil, .checkpoint, at: nil)])
        expect(world.ask(.help("GET")).effects == [.start(nil, .help("GET"), at: nil)])
        expect(world.ask(.quit).effects.last == .finish)
    }
}

/// What each reply rests on: it leaves when that is durable.
struct BasisTests {
    /// Users u1 and u2 and story s1, all durable; then note-a of events 4 and 5, which are not.
    private func openWorld() -> EngineHarness {
        let world = smallWorld()
        world.durable = Position(3)
        world.ask(.append("note-a", "A", "B"))
        return world
    }

    @Test func `a receipt rests on its event`() {
        let world = smallWorld()
        world.durable = Position(3)
        expect(world.ask(.append("note-a", "A", "B")).basis == Position(5))
        expect(world.ask(.liking("s1", by: "u1")).basis == Position(6))
        expect(world.ask(.liking("s1", by: "u1")).basis == Position(6), "it would change nothing")
    }

    @Test func `a row rests on the last event of its stream`() {
        let world = openWorld()
        expect(world.ask(.getting(.stories, "s1")).basis == Position(3))
        world.ask(.liking("s1", by: "u1"))
        expect(world.ask(.getting(.stories, "s1")).basis == Position(6))
        expect(world.ask(.getting(.users, "none")).basis == .zero)
    }

    @Test func `lists and counts rest on all that they saw`() {
        let world = openWorld()
        expect(world.ask(.listing(.stories)).basis == Position(5))
        expect(world.ask(.count(.stories, [])).basis == Position(5))
        expect(world.ask(.sorts(.stories)).basis == .zero)
    }

    @Test func `PING tells a connection what it wrote, and others what is durable`() {
        let world = openWorld()
        expect(world.ask(.ping).done == .members([Member("position", .count(5))]))
        expect(world.ask(.ping).basis == Position(5))
        var other = Session(peer: Peer(uid: 7, role: .read))
        expect(world.ask(.ping, as: &other).done == .members([Member("position", .count(3))]))
        expect(world.ask(.ping, as: &other).basis == Position(3))
    }

    @Test func `READ and SUBSCRIBE know only what is durable`() {
        let world = openWorld()
        let all = EventSelection(source: .all)
        let query = ReadQuery(selection: all, from: nil, to: nil, limit: 10, order: .ascending)
        let plan = world.ask(.read(query)).plan
        expect(plan?.head == Position(3))
        expect(plan?.upper == 3)
        world.ask(.subscribe(SubscribeQuery(all)))
        expect(world.session.active.all.map(\.next) == [Position(4)])
    }

    @Test func `refusals rest on what they say of the store`() {
        let world = openWorld()
        let version = WriteOptions(version: Version(9))
        let proposal = EventProposal(type: "A".type, data: "1".view, meta: nil)
        let stale = world.ask(.append("note-a".stream, [proposal], version))
        expect(stale.code == .conflict)
        expect(stale.basis == Position(5))
        let conflict = world.ask(.delete(.stories, "s1".id, version))
        expect(conflict.code == .conflict)
        expect(conflict.basis == Position(5))
        expect(world.ask(.delete(.stories, "none".id, WriteOptions())).basis == .zero)
        world.ask(.delete(.stories, "s1".id, WriteOptions()))
        let gone = world.ask(.liking("s1", by: "u1"))
        expect(gone.code == .gone)
        expect(gone.basis == Position(6))
        expect(world.ask(.postStory("s1")).basis == Position(6))
    }
}

/// An engine over a store that a failed commit takes back, as the shell does: to the checkpoint, and folded again.
private final class RolledBackWorld {
    private let store = SwappedStore()
    private let log = PlainLog()
    private let engine: Engine
    private let fold: EventFold
    private var session = Session(peer: Peer(uid: 1_000, role: .admin))
    private let now = EngineHarness().now

    init() {
        engine = RolledBackWorld.carried { [store, log] () throws(StorageError) in
            try Engine(
                CataloguePlan(.standard), store: store, json: JSONObjectReader(), log: log,
                matches: EventEncoder.matches,
                identity: LogIdentity(id: LogID(trusted: "this".bytes)), limits: Limits(), server: "test")
        }
        fold = EventFold(CataloguePlan(.standard), store, of: engine)
        for request in [RequestAction.postUser("u1"), .postUser("u2"), .postStory("s1")] { ask(request) }
    }

    private static func carried<Value>(_ body: () throws(StorageError) -> Value) -> Value {
        do throws(StorageError) { return try body() } catch { preconditionFailure("\(error)") }
    }

    @discardableResult
    func ask(_ action: RequestAction) -> [Reply] {
        let output = RecordedOutput(log, durable: log.head) { [fold] record, prior in
            RolledBackWorld.carried { () throws(StorageError) in try fold.fold(record, after: prior) }
        }
        engine.handle(Request(tag: nil, role: .read, action: action), from: &session, now: now, into: output)
        engine.flush()
        return Answer(effects: output.effects).replies
    }

    func rollBack(to position: Position) {
        log.truncate(after: position)
        store.current = PlainStore()
        let projector = ModelProjector(CataloguePlan(.standard), store: store, json: JSONObjectReader())
        for event in log.events {
            event.withRecord { record in
                RolledBackWorld.carried { () throws(StorageError) in try projector.fold(record) }
            }
        }
        engine.logRolledBack()
        RolledBackWorld.carried { () throws(StorageError) in try engine.modelsFolded() }
        session.rolledBack(to: position)
    }
}

/// A store whose contents can be thrown away while it is in use.
private final class SwappedStore: TableStore {
    var checkpointed: Position { .zero }
    var current = PlainStore()

    func put(_ value: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) {
        current.put(value, in: table, at: key)
    }

    func remove(in table: UInt8, at key: UnsafeRawBufferPointer) { current.remove(in: table, at: key) }

    func add(_ change: Int64, in table: UInt8, at key: UnsafeRawBufferPointer) {
        current.add(change, in: table, at: key)
    }

    func append(_ bytes: UnsafeRawBufferPointer, in table: UInt8, at key: UnsafeRawBufferPointer) -> Int {
        current.append(bytes, in: table, at: key)
    }

    func withValue(
        _ table: UInt8, at key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        try current.withValue(table, at: key, body)
    }

    func walk(
        _ table: UInt8, _ range: KeyBounds, _ order: Order, isProving: Bool,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try current.walk(table, range, order, isProving: isProving, visit)
    }
}
