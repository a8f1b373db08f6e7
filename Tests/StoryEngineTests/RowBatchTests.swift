import StoryCore
import StoryEngine
import StoryFold
import Testing
import TestSupport

/// Requests for rows are kept by the engine and looked up together, before anything that depends on their order.
struct RowBatchTests {
    private let world = EngineHarness()
    private let (first, second): (RecordedOutput, RecordedOutput)

    init() {
        for id in ["u1", "u2"] { world.ask(.postUser(id)) }
        world.ask(.postStory("s1"))
        (first, second) = (world.output(), world.output())
    }

    private func ask(_ action: RequestAction, _ tag: String, into output: RecordedOutput) {
        let request = Request(tag: StoryCore.Tag(trusted: tag.bytes), role: .read, action: action)
        world.engine.handle(request, from: &world.session, now: world.now, into: output)
    }

    private func get(_ id: String, _ tag: String, into output: RecordedOutput) {
        ask(.get(.users, id.id, at: nil), tag, into: output)
    }

    private func tags(_ output: RecordedOutput) -> [StoryCore.Tag] {
        output.effects.compactMap { if case .reply(let tag, _, _) = $0 { tag } else { nil } }
    }

    private func tags(_ texts: String...) -> [StoryCore.Tag] { texts.map { StoryCore.Tag(trusted: $0.bytes) } }

    @Test func `they are answered in their order before the next request of another kind`() {
        get("u1", "1", into: first)
        get("none", "2", into: first)
        get("u2", "3", into: first)
        expect(first.effects == [])
        ask(.ping, "4", into: first)
        expect(tags(first) == tags("1", "2", "3", "4"))
        expect(
            Answer(effects: first.effects).code == nil && Answer(effects: Array(first.effects[..<2])).code == .notFound)
    }

    @Test func `a row is as it was when its turn came`() {
        ask(.get(.stories, "s1".id, at: nil), "1", into: first)
        world.ask(.delete(.stories, "s1".id, WriteOptions()))
        ask(.get(.stories, "s1".id, at: nil), "2", into: first)
        world.engine.flush()
        expect(Answer(effects: Array(first.effects[..<1])).row != nil)
        expect(Answer(effects: first.effects).code == .gone)
    }

    @Test func `flush answers all, and those of another output are answered first`() {
        get("u1", "1", into: first)
        get("u2", "2", into: second)
        expect(tags(first) == tags("1") && second.effects == [])
        world.engine.flush()
        expect(tags(second) == tags("2"))
        world.engine.flush()
        expect(tags(first) == tags("1") && tags(second) == tags("2"), "each is answered once")
    }

    @Test func `so many that no more fit are answered at once`() {
        for number in 1...KeyBatch.capacity { get("u1", "\(number)", into: first) }
        expect(tags(first) == (1...KeyBatch.capacity).map { StoryCore.Tag(trusted: "\($0)".bytes) })
    }

    @Test func `those that came before the end was asked for are answered, later ones are refused`() {
        get("u1", "1", into: first)
        first.isEnding = true
        get("u1", "2", into: first)
        expect(tags(first) == tags("1", "2"))
        expect(Answer(effects: Array(first.effects[..<1])).row != nil)
        expect(Answer(effects: first.effects).code == .draining)
    }
}
