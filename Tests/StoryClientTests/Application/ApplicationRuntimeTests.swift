import StoryClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ApplicationRuntimeTests {
    private let world = TestWorld()

    private func runtime(
        _ middleware: [any Middleware<Counting.State, Counting.Message, Counting.Command>] = [],
        _ world: TestWorld? = nil
    ) async -> ApplicationRuntime<Counting> {
        let world = world ?? self.world
        let runtime = ApplicationRuntime(
            Counting(), middleware: middleware, executor: world, source: world, renderer: world)
        await runtime.start()
        return runtime
    }

    @Test func `each state that differs from the one before is rendered, the first one too`() async {
        let runtime = await runtime()
        for message in [Counting.Message.add(2), .nothing, .add(-1), .add(0)] { await runtime.send(message) }
        expect(world.seen.withLock { $0.rendered.map(\.number) } == [0, 2, 1])
    }

    @Test func `what a command came to is taken up in its order`() async throws {
        let runtime = await runtime()
        await runtime.send(.ask("who"))
        try await eventually("the answer comes") { await runtime.state.heard.count == 2 }
        #expect(await runtime.state.heard == ["who?", "who!"])
    }

    @Test func `subscriptions are started and stopped as the state asks for them`() async throws {
        let runtime = await runtime()
        await runtime.send(.tune(["a", "b"]))
        try await eventually("both are started") { world.seen.withLock { Set($0.started) == ["a", "b"] } }
        await runtime.send(.tune(["b", "c"]))
        try await eventually("one is stopped and one started") {
            world.seen.withLock { $0.stopped == ["a"] && $0.started.last == "c" }
        }
        #expect(await runtime.activeSubscriptions == ["b", "c"])
        await runtime.send(.add(1))
        expect(world.seen.withLock { $0.started.count } == 3, "one that is wanted still is not started again")
    }

    @Test func `no message of a subscription is taken up once it was stopped, even where it is wanted again`()
        async throws
    {
        let runtime = await runtime()
        await runtime.send(.tune(["a"]))
        try await eventually("it is started") { world.seen.withLock { $0.sends["a"] != nil } }
        let first = try require(world.seen.withLock { $0.sends["a"] })
        await first(.answered("on time"))
        await runtime.send(.tune([]))
        await first(.answered("late"))
        await runtime.send(.tune(["a"]))
        try await eventually("it is started again") { world.seen.withLock { $0.started.count == 2 } }
        await first(.answered("later"))
        let second = try require(world.seen.withLock { $0.sends["a"] })
        await second(.answered("anew"))
        #expect(await runtime.state.heard == ["on time", "anew"])
    }

    @Test func `a subscription that ended by itself is not started again while it is wanted`() async throws {
        let world = TestWorld(endings: ["a"])
        let runtime = await runtime([], world)
        await runtime.send(.tune(["a"]))
        try await eventually("it is started") { world.seen.withLock { $0.started == ["a"] } }
        await runtime.send(.add(1))
        await runtime.send(.tune(["a", "b"]))
        try await eventually("the other one is started") { world.seen.withLock { $0.started.contains("b") } }
        expect(world.seen.withLock { $0.started } == ["a", "b"])
    }

    @Test func `stopping ends subscriptions and commands, and nothing is taken up afterwards`() async throws {
        let runtime = await runtime()
        await runtime.send(.tune(["a"]))
        await runtime.send(.ask("wait"))
        try await eventually("it is started") { world.seen.withLock { $0.started == ["a"] } }
        await runtime.stop()
        try await eventually("both are over") {
            world.seen.withLock { $0.stopped == ["a"] && $0.cancelledCommands == 1 }
        }
        await runtime.send(.add(1))
        #expect(await runtime.state.number == 0)
        #expect(await runtime.state.heard == [])
    }

    /// Writes down that it was passed, there and back.
    private struct Passing: Middleware {
        let name: String
        let note: @Sendable (String) -> Void

        func update(
            _ state: Counting.State, _ message: Counting.Message,
            next: (Counting.State, Counting.Message) -> (Counting.State, Counting.Command?)
        ) -> (Counting.State, Counting.Command?) {
            note("\(name) sees \(message)")
            let result = next(state, message)
            note("\(name) sees \(result.0.number)")
            return result
        }
    }

    /// Doubles what is added.
    private struct Doubling: Middleware {
        func update(
            _ state: Counting.State, _ message: Counting.Message,
            next: (Counting.State, Counting.Message) -> (Counting.State, Counting.Command?)
        ) -> (Counting.State, Counting.Command?) {
            if case .add(let amount) = message { next(state, .add(2 * amount)) } else { next(state, message) }
        }
    }

    @Test func `the first middleware is the outermost`() async {
        let notes = Recorded<String>()
        let runtime = await runtime([
            Passing(name: "outer", note: notes.add), Doubling(), Passing(name: "inner", note: notes.add),
        ])
        await runtime.send(.add(3))
        expect(notes.all == ["outer sees add(3)", "inner sees add(6)", "inner sees 6", "outer sees 6"])
    }
}

/// What was noted, from any thread.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    @Sendable func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
