import StoryCore
import TestSupport
import Testing

struct EventSelectionTests {
    private func matches(
        _ source: EventSelection.Source, _ stream: String, _ type: String, types: [String] = []
    ) -> Bool {
        let event = Event(
            position: Position(1), stream: stream.stream, streamNumber: StreamNumber(1), version: Version(1),
            time: Instant(milliseconds: 0), by: 0, key: nil, meta: nil, body: .custom(type.type, data: "1".view))
        return event.withRecord { EventSelection(source: source, types: types.map(\.type)).matches($0) }
    }

    @Test func `all takes every stream`() { #expect(matches(.all, "story-1", "StoryPosted")) }

    @Test func `a stream takes itself alone`() {
        #expect(matches(.stream("story-1".stream), "story-1", "StoryPosted"))
        #expect(!matches(.stream("story-1".stream), "story-12", "StoryPosted"))
        #expect(!matches(.stream("story-12".stream), "story-1", "StoryPosted"))
    }

    @Test func `a category takes its own streams, not those of one that begins alike`() {
        #expect(matches(.category("note".category), "note-a-b", "Noted"))
        #expect(!matches(.category("note".category), "notes-a", "Noted"))
        #expect(!matches(.category("notes".category), "note-a", "Noted"))
    }

    @Test func `types narrow any of them`() {
        #expect(matches(.all, "note-a", "B", types: ["A", "B"]))
        #expect(!matches(.all, "note-a", "C", types: ["A", "B"]))
        #expect(!matches(.stream("note-a".stream), "note-a", "a", types: ["A"]))
        #expect(!matches(.category("note".category), "story-1", "A", types: ["A"]))
    }
}
