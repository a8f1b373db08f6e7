import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct ProposalReadingTests {
    private let reader = RequestReader()

    @Test func `tags are read, whatever their JSON looks like`() {
        let plain = EventProposal(
            type: type("A"), data: view("1"), meta: nil, tags: EventTags.text([bytes("a/b"), bytes("A")]))
        for tags in [#"["a/b","A"]"#, #"[ "a\/b" , "\u0041" ]"#] {
            let action = reader.action("APPEND note-1 {\"tags\":\(tags),\"type\":\"A\",\"data\":1}")
            expect(action == .append(stream("note-1"), [plain], WriteOptions()))
        }
    }

    @Test func `a null, and no tag at all, are as if they were not there`() {
        let plain = EventProposal(type: type("A"), data: view("null"), meta: nil)
        for more in [#""tags":null"#, #""tags":[]"#, #""meta":null"#] {
            let action = reader.action("APPEND note-1 {\"type\":\"A\",\"data\":null,\(more)}")
            expect(action == .append(stream("note-1"), [plain], WriteOptions()))
        }
    }

    @Test func `each event of an array has its own tags`() {
        let line =
            #"APPEND note-1 [{"type":"A","data":[1],"tags":["x"]},{"type":"B","data":{"a":"b"},"tags":["y","z"]}]"#
        let proposals = [
            EventProposal(type: type("A"), data: view("[1]"), meta: nil, tags: EventTags.text([bytes("x")])),
            EventProposal(
                type: type("B"), data: view(#"{"a":"b"}"#), meta: nil, tags: EventTags.text([bytes("y"), bytes("z")])),
        ]
        expect(reader.action(line) == .append(stream("note-1"), proposals, WriteOptions()))
    }

    @Test func `events of several streams name them`() {
        let line =
            #"APPEND * key=k [{"stream":"a-1","version":3,"type":"A","data":1},{"stream":"b-1","version":null,"type":"B","data":2,"meta":{},"tags":["t"]}]"#
        let proposals = [
            StreamProposal(
                stream: stream("a-1"), version: Version(3),
                event: EventProposal(type: type("A"), data: view("1"), meta: nil)),
            StreamProposal(
                stream: stream("b-1"),
                event: EventProposal(
                    type: type("B"), data: view("2"), meta: view("{}"), tags: EventTags.text([bytes("t")]))),
        ]
        expect(reader.action(line) == .appendTogether(proposals, WriteOptions(key: key("k"))))
    }

    @Test func `HELP of a code ignores case`() {
        let expected = Help.answer("keyReused", from: .standard)
        expect(expected.count == 2)
        for topic in ["KEYREUSED", "keyreused"] { expect(Help.answer(topic, from: .standard) == expected) }
    }
}
