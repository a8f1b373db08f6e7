import StoryCore
import TestSupport
import Testing

struct EventSelectionTests {
    private func matches(
        _ source: EventSelection.Source, _ stream: String, _ type: String, types: [String] = [], tags: [String] = [],
        of event: [String] = []
    ) -> Bool {
        let text = EventTags.text(event)
        let event = Event(
            position: Position(1), stream: stream.stream, streamNumber: StreamNumber(1), version: Version(1),
            time: Instant(milliseconds: 0), by: 0, key: nil, tags: text, meta: nil,
            body: .custom(type.type, data: "1".view))
        let query = EventQuery(types: types.map(\.type), tags: tags.map(\.eventTag))
        return event.withRecord { EventSelection(source: source, query).matches($0) }
    }

    @Test func `all takes every stream`() { expect(matches(.all, "story-1", "StoryPosted")) }

    @Test func `a stream takes itself alone`() {
        expect(matches(.stream("story-1".stream), "story-1", "StoryPosted"))
        expect(!matches(.stream("story-1".stream), "story-12", "StoryPosted"))
        expect(!matches(.stream("story-12".stream), "story-1", "StoryPosted"))
    }

    @Test func `a category takes its own streams, not those of one that begins alike`() {
        expect(matches(.category("note".category), "note-a-b", "Noted"))
        expect(!matches(.category("note".category), "notes-a", "Noted"))
        expect(!matches(.category("notes".category), "note-a", "Noted"))
    }

    @Test func `types narrow any of them`() {
        expect(matches(.all, "note-a", "B", types: ["A", "B"]))
        expect(!matches(.all, "note-a", "C", types: ["A", "B"]))
        expect(!matches(.stream("note-a".stream), "note-a", "a", types: ["A"]))
        expect(!matches(.category("note".category), "story-1", "A", types: ["A"]))
    }

    @Test func `an event has all of the tags, whole and in any order`() {
        expect(matches(.all, "note-a", "A", tags: ["b", "a:1"], of: ["a:1", "c", "b"]))
        expect(!matches(.all, "note-a", "A", tags: ["b", "a:1"], of: ["a:1", "c"]))
        expect(!matches(.all, "note-a", "A", tags: ["a:1"]))
        for other in ["a:11", "aa:1", "a:", ":1", "A:1"] {
            expect(!matches(.all, "note-a", "A", tags: ["a:1"], of: [other, other]))
            expect(!matches(.all, "note-a", "A", tags: [other], of: ["a:1"]))
        }
        let many = (0..<16).map { "\(String(repeating: "t", count: 62))\(10 + $0)" }
        expect(matches(.all, "note-a", "A", tags: many.reversed(), of: many))
        expect(!matches(.stream("note-b".stream), "note-a", "A", tags: ["t"], of: ["t"]))
        expect(!matches(.all, "note-a", "A", types: ["B"], tags: ["t"], of: ["t"]))
    }

    @Test func `a tag is printable ASCII without spaces, quotation marks and backslashes`() {
        for good in ["a", "course:c1", "{x}", "a,b", String(repeating: "~", count: 64)] {
            expect(EventTag(good.bytes)?.description == good)
        }
        for bad in ["", "a b", "a\"", "a\\", "é", "\u{7F}", String(repeating: "a", count: 65)] {
            expect(EventTag(bad.bytes) == nil)
        }
    }
}
