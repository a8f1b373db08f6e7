import StoryCore
import StoryEngine
import Testing
import TestSupport

/// `APPEND *`: events of several streams, all of them or none.
struct AppendTogetherTests {
    private let world = EngineHarness()

    init() { world.ask(.append("a-1", "A")) }

    private func proposal(
        _ stream: String, _ version: UInt64? = nil, data: String = "{}", tags: [String] = []
    ) -> StreamProposal {
        let event = EventProposal(
            type: "B".type, data: data.view, meta: nil, tags: EventTags.text(tags.map(\.bytes)))
        return StreamProposal(stream: stream.stream, version: version.map(Version.init), event: event)
    }

    private func append(_ proposals: StreamProposal..., key: String? = nil) -> Answer {
        world.ask(.appendTogether(proposals, WriteOptions(key: key?.key)))
    }

    private func receipt(_ stream: String, _ version: UInt64, _ position: UInt64, repeated: Bool = false) -> Receipt {
        Receipt(
            id: nil, stream: stream.stream, version: Version(version), position: Position(position), time: world.now,
            repeated: repeated)
    }

    @Test func `events go where they say, in their order, and each stream has a receipt`() {
        let answer = append(proposal("b-1", 0), proposal("a-1", 1), proposal("b-1", 1, tags: ["t"]), proposal("c-1"))
        expect(answer.events.map(\.stream) == ["b-1", "a-1", "b-1", "c-1"].map(\.stream))
        expect(answer.events.map(\.position.value) == [2, 3, 4, 5])
        expect(answer.events.map(\.version.value) == [1, 2, 2, 1])
        expect(answer.events.map(\.streamNumber.value) == [2, 1, 2, 3])
        expect(answer.events.map { $0.tags } == [nil, nil, #"["t"]"#.view, nil])
        expect(answer.receipts == [receipt("b-1", 2, 4), receipt("a-1", 2, 3), receipt("c-1", 1, 5)])
        expect(answer.done == .appended(count: 3, position: Position(5), repeated: false))
        world.restart()
        expect(world.ask(.append("c-1", "A")).receipt?.version == Version(2))
        expect(world.ask(.append("d-1", "A")).events.first?.streamNumber == StreamNumber(4))
    }

    @Test func `one version that does not match keeps all of them out, and the stream is named`() {
        for (proposals, expected, actual) in [
            ([proposal("b-1", 0), proposal("a-1", 0)], 0, 1), ([proposal("b-1"), proposal("b-1", 0)], 0, 1),
            ([proposal("a-1", 1), proposal("b-1", 3)], 3, 0),
        ] as [([StreamProposal], UInt64, UInt64)] {
            let answer = world.ask(.appendTogether(proposals, WriteOptions()))
            expect(answer.code == .conflict)
            let stream = proposals.last?.stream
            expect(
                answer.failure?.detail
                    == .versions(expected: Version(expected), actual: Version(actual), stream: stream))
            expect(answer.failure?.message.hasPrefix(stream?.description ?? "?") == true)
        }
        expect(world.log.head == Position(1))
        expect(append(proposal("b-1", 0)).receipts == [receipt("b-1", 1, 2)])
    }

    @Test func `a key covers the whole request`() {
        let first = append(proposal("b-1", 0), proposal("a-1", 1), proposal("b-1"), key: "k")
        expect(first.events.allSatisfy { $0.key == "k".key })
        for _ in 0..<2 {
            let again = append(proposal("b-1", 0), proposal("a-1", 1), proposal("b-1"), key: "k")
            expect(again.receipts == [receipt("b-1", 2, 4, repeated: true), receipt("a-1", 2, 3, repeated: true)])
            expect(again.done == .appended(count: 2, position: Position(4), repeated: true))
            world.ask(.append("a-1", "A"))
            world.restart()
        }
        expect(append(proposal("b-1"), proposal("a-1"), proposal("b-1"), key: "k").failure == nil)
        expect(
            append(proposal("b-1", 7), proposal("a-1", 2), proposal("b-1", 0), key: "k").receipts.first?.repeated
                == true)
        let others = [
            append(proposal("b-1", 0), proposal("a-1", 1), key: "k"),
            append(proposal("a-1", 1), proposal("b-1", 0), proposal("b-1"), key: "k"),
            append(proposal("b-1", 0), proposal("a-1", 1), proposal("b-1", data: "1"), key: "k"),
            append(proposal("b-1", 0), proposal("a-1", 1), proposal("b-1", tags: ["t"]), key: "k"),
            world.ask(.append("b-1", "B", "B", "B", key: "k")),
        ]
        for other in others {
            expect(other.code == .keyReused)
            expect(other.failure?.detail == .position(Position(4)))
        }
    }

    @Test func `tags are a part of what a key covers`() {
        func tagged(_ tags: String...) -> Answer {
            let tags = EventTags.text(tags.map(\.bytes))
            let event = EventProposal(type: "B".type, data: "1".view, meta: nil, tags: tags)
            return world.ask(.append("b-1".stream, [event], WriteOptions(key: "k".key)))
        }
        expect(tagged("a", "b").events.first?.tags == #"["a","b"]"#.view)
        expect(tagged("a", "b").receipt?.repeated == true)
        expect(tagged("b", "a").code == .keyReused)
        expect(tagged().code == .keyReused)
    }

    @Test func `nothing is refused, and a full disk takes nothing`() {
        expect(world.ask(.appendTogether([], WriteOptions())).wrongFields == ["events": .empty])
        world.engine.writesRefused(Failure(.full, "the disk is full"))
        expect(append(proposal("b-1")).code == .full)
        expect(world.log.head == Position(1))
    }
}
