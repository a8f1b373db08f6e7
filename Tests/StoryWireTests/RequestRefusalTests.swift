import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct RequestRefusalTests {
    private let reader = RequestReader()

    @Test(arguments: [
        ("", 1), ("   ", 4), ("@a ", 4), ("!", 1), ("{}", 1), ("G3T users/1", 1), ("GET / HTTP/1.1\r", 15),
        ("PING\r", 5), ("PING\u{0}", 5), ("PING \t", 6), ("POST\tusers {}", 5), ("PING\u{7F}", 5),
        ("\u{FEFF}PING", 1), ("PING x", 6), ("PING {}", 6), ("GET", 4), ("GET stories", 12), ("LIST", 5),
        ("LIST stories/1", 13), ("LIST stories limit=1 limit=2", 22), ("POST users", 11), ("POST {}", 6),
        ("POST users []", 12), ("POST users {", 13), ("POST users {}x", 14), ("POST users {\"a\":1,}", 19),
        ("POST users {\"id\":\"a\",\"\\u0069d\":\"b\"}", 22), ("POST users {\"a\":{\"b\":[{\"c\":1,\"c\":2}]}}", 30),
        ("POST users {\"name\":\"\\ud800\"}", 27), ("POST users {\"name\":\"\\udc00\"}", 24),
        ("POST users {\"p\":1e999}", 17), ("POST users {\"p\":123456789012345678901234567890}", 17),
        ("POST users {\"a\":1,\"p\":-9223372036854775809}", 23), ("POST users {\"p\":01}", 18),
        ("POST users {\"p\":NaN}", 17), ("POST users {\"a\":\"b\tc\"}", 19), ("POST users {\"a\u{1}\":1}", 15),
        ("CLUSTER promote", 16), ("CLUSTER promote  ", 18), ("CLUSTER remove n2 n3", 19), ("CLUSTER {}", 9),
        ("SEE messages/1 {}", 16), ("APPEND note-1", 14), ("BACKUP \"/tmp", 13), ("BACKUP \"/tmp\"x", 14),
        ("BACKUP \"\\x\"", 10), ("LIST users email=\"a\"b", 21), ("SEE messages/1 key=\"a", 22),
        (#"APPEND n-1 {"type":"T","data":{"a":[1,2,}}"#, 41), (#"POST users meta={"a":[1,}} {}"#, 25),
        (#"POST users meta={"a":1]} {}"#, 23), (#"POST users meta={"a" {}"#, 22), (#"LIST users email={}x"#, 20),
    ])
    func `a line that is no request is a syntax error with its column`(line: String, column: Int) {
        let failure = reader.failure(line)
        expect(failure?.code == .syntax)
        expect(failure?.column == column)
    }

    @Test func `bytes that are not UTF-8 are refused where they stand`() {
        for (line, column) in [
            (bytes("PING ") + [0xFF], 6), ([0xC3], 1),
            (bytes("POST users {\"name\":\"") + [0xFF, 0xFE] + bytes("\"}"), 21),
            (bytes("LIST users email=é") + [0xE2, 0x82], 20), ([0x16, 0x03, 0x01, 0x02, 0x00], 1),
        ] {
            let failure = reader.read(bytes: line).failure
            expect(failure?.code == .syntax)
            expect(failure?.column == column)
        }
    }

    @Test func `a carriage return is refused with a hint`() {
        expect(reader.failure("PING\r")?.message.contains("end lines with LF alone") == true)
    }

    @Test func `a message about a repeated key names it`() {
        expect(reader.failure(#"POST users {"id":"a","id":"b"}"#)?.message.contains("\"id\"") == true)
    }

    @Test(arguments: [
        ("LSIT users", "LSIT", "LIST"), ("lst users", "lst", "LIST"), ("PINGG", "PINGG", "PING"),
        ("frobnicate", "frobnicate", nil), ("GET storys/1", "storys", "stories"), ("LIST user", "user", "users"),
        ("POST event {}", "event", nil), ("GET events/a-1", "events", nil), ("READ event", "event", "events"),
        ("READ stories", "stories", nil), ("EDIT messages/1 {}", "messages", nil), ("DELETE users/1", "users", nil),
        ("LIKE storie/1 {}", "storie", "stories"), ("SEE message/1", "message", "messages"),
        ("LIST stories colour=red", "colour", nil), ("LIST stories sendr=1", "sendr", "sender"),
        ("LIST stories owner=1", "owner", nil), ("LIST stories sort=colour", "colour", nil),
        ("LIST stories sort=tilte", "tilte", "title"), ("LIST users sort=title", "title", nil),
        ("READ events sort=date", "sort", nil), ("APPEND note-1 meta=\"{}\" {\"type\":\"A\",\"data\":1}", "meta", nil),
        ("PING limit=1", "limit", nil), ("COUNT stories limit=1", "limit", nil),
        ("SUBSCRIBE stories from=1", "from", nil), ("SUBSCRIBE stories/12345 from=1", "from", nil),
        ("SUBSCRIBE stories/12345 sender=1", "sender", nil), ("SUBSCRIBE messages sendr=1", "sendr", "sender"),
        ("SUBSCRIBE events sender=1", "sender", nil), ("SUBSCRIBE evnets", "evnets", "events"),
        ("SUBSCRIBE storys/1", "storys", "stories"),
    ])
    func `an unknown name is told with the nearest one that is valid there`(
        line: String, name: String, nearest: String?
    ) {
        let failure = reader.failure(line)
        expect(failure?.code == .unknown)
        expect(failure?.detail == .name(name, nearest: nearest))
    }

    @Test(
        arguments: [
            ("GET users/" + String(repeating: "a", count: 65), ["id:tooLong"]), ("GET users/..%2f", ["id:malformed"]),
            ("GET users/", ["id:empty"]), ("GET users/a/b", ["id:malformed"]), ("GET users/彩", ["id:malformed"]),
            ("LIST users limit=-1", ["limit:outOfRange"]), ("LIST users limit=0", ["limit:outOfRange"]),
            ("LIST users limit=1001", ["limit:outOfRange"]),
            ("LIST users limit=99999999999999999999", ["limit:outOfRange"]),
            ("LIST users limit=+1", ["limit:malformed"]), ("LIST users limit=", ["limit:malformed"]),
            ("READ events limit=10001", ["limit:outOfRange"]), ("STREAMS limit=1001", ["limit:outOfRange"]),
            ("GET users/1 at=-5", ["at:outOfRange"]), ("GET users/1 at=0", ["at:outOfRange"]),
            ("GET users/1 at=9007199254740992", ["at:outOfRange"]), ("GET users/1 at=yesterday", ["at:malformed"]),
            ("GET users/1 at=2026-02-29T00:00:00Z", ["at:malformed"]), ("READ events from=x", ["from:malformed"]),
            ("READ events from=0 to=0", ["from:outOfRange", "to:outOfRange"]),
            ("LIST users order=up", ["order:notSelected"]),
            ("LIST users after=", ["after:empty"]),
            ("LIST stories sender=a!b recipient=", ["sender:malformed", "recipient:empty"]),
            ("LIST messages between=a", ["between:malformed"]), ("LIST messages between=a,b,c", ["between:malformed"]),
            ("LIST messages unseen=yes", ["unseen:notSelected"]),
            ("LIST users prefecture=48", ["prefecture:notSelected"]),
            ("LIST users prefecture=x", ["prefecture:malformed"]), ("LIST users email=", ["email:empty"]),
            ("LIST users email=" + String(repeating: "a", count: 255), ["email:tooLong"]),
            ("READ events/noid", ["stream:malformed"]), ("READ events/", ["stream:malformed"]),
            ("READ events/-*", ["stream:malformed"]), ("READ events/a-b-*", ["stream:malformed"]),
            ("STREAMS *", ["stream:malformed"]), ("STREAMS after=x", ["after:malformed"]),
            ("READ events types=A,,B", ["types:malformed"]), ("READ events types=", ["types:malformed"]),
            ("READ events types=" + Array(repeating: "A", count: 65).joined(separator: ","), ["types:tooLong"]),
            ("READ events tags=", ["tags:empty"]), ("COUNT events tags=a,,b", ["tags[1]:empty"]),
            (#"SUBSCRIBE events tags="a b,é,c,""#, ["tags[0]:malformed", "tags[1]:malformed", "tags[3]:empty"]),
            ("READ events tags=" + String(repeating: "t", count: 65), ["tags[0]:tooLong"]),
            ("READ events tags=" + Array(repeating: "t", count: 17).joined(separator: ","), ["tags:tooLong"]),
            (
                "READ events tags=, types=! from=0",
                ["tags[0]:empty", "tags[1]:empty", "types:malformed", "from:outOfRange"]
            ),
            ("SEE messages/1 key=" + String(repeating: "k", count: 129), ["key:tooLong"]),
            ("SEE messages/1 key=", ["key:empty"]),
            ("SEE messages/1 key=a/b version=x", ["key:malformed", "version:malformed"]),
            ("SEE messages/! version=-1 meta=x", ["id:malformed", "version:outOfRange", "meta:malformed"]),
            ("SEE messages/1 meta=\"[]\"", ["meta:wrongType"]),
            ("SEE messages/1 meta=\"{\\\"a\\\":1,\\\"a\\\":2}\"", ["meta:malformed"]),
            ("READ events from=yesterday to=-1 log=", ["from:malformed", "to:outOfRange", "log:empty"]),
            ("SUBSCRIBE events from=0 log=a/b", ["from:outOfRange", "log:malformed"]),
            ("LIST users since=1 until=now", ["since:malformed", "until:malformed"]),
            ("READ events log=" + String(repeating: "a", count: 65), ["log:tooLong"]),
            ("UNSUBSCRIBE x", ["subscription:malformed"]), ("UNSUBSCRIBE 0", ["subscription:outOfRange"]),
            ("BACKUP \"\"", ["directory:empty"]), ("BACKUP \"a\\u0000b\"", ["directory:malformed"]),
            ("POST users key=! {\"a\":1}", ["key:malformed"]),
        ] as [(String, [String])])
    func `values that are no good are all named at once`(line: String, rules: [String]) {
        let failure = reader.failure(line)
        expect(failure?.code == .invalid)
        expect(failure?.rules == rules)
    }

    @Test(arguments: [
        ("note-1", "[]", ["events:empty"]), ("note-1", "{}", ["type:missing", "data:missing"]),
        ("note", #"{"type":"A","data":1}"#, ["stream:malformed"]),
        ("note-1", #"{"type":"","data":{}}"#, ["type:empty"]),
        ("note-1", #"{"type":"a b","data":{}}"#, ["type:malformed"]),
        ("note-1", #"{"type":7,"data":{}}"#, ["type:wrongType"]),
        ("note-1", #"{"type":"A","data":1,"meta":[],"when":1}"#, ["meta:wrongType", "when:unknownField"]),
        ("note-1", #"[{"type":"A","data":{}},{"type":"B"}]"#, ["[1].data:missing"]),
        ("note-1", #"{"type":"A","data":1,"tags":"x"}"#, ["tags:wrongType"]),
        ("note-1", #"{"type":"A","data":1,"tags":["a",1,{}]}"#, ["tags[1]:wrongType", "tags[2]:wrongType"]),
        (
            "note-1", #"{"type":"A","data":1,"tags":["","a b","a\"b","a\\b","\u0001","é"]}"#,
            [
                "tags[0]:empty", "tags[1]:malformed", "tags[2]:malformed", "tags[3]:malformed", "tags[4]:malformed",
                "tags[5]:malformed",
            ]
        ),
        (
            "note-1",
            #"[{"type":"A","data":1,"tags":["\#(String(repeating: "t", count: 65))"]},{"type":"","data":1}]"#,
            ["[0].tags[0]:tooLong", "[1].type:empty"]
        ),
        (
            "note-1",
            #"{"type":"A","data":1,"tags":[\#(Array(repeating: "\"t\"", count: 17).joined(separator: ","))]}"#,
            ["tags:tooLong"]
        ),
        (
            "note-1", #"{"stream":"a-1","version":1,"type":"A","data":1}"#,
            ["stream:unknownField", "version:unknownField"]
        ),
        ("*", "[]", ["events:empty"]), ("*", #"[{"type":"A","data":1}]"#, ["[0].stream:missing"]),
        ("* version=1", #"[{"stream":"a-1","type":"A","data":1}]"#, ["version:unknownField"]),
        (
            "*", #"[{"stream":"a","version":-1,"type":"A","data":1},{"stream":1,"version":"1","when":1}]"#,
            [
                "[0].stream:malformed", "[0].version:outOfRange", "[1].stream:wrongType", "[1].version:wrongType",
                "[1].when:unknownField", "[1].type:missing", "[1].data:missing",
            ]
        ),
        ("*", #"{"stream":"a-1","version":9007199254740992,"type":"A","data":1}"#, ["version:outOfRange"]),
        (
            "note-1", #"[1,{"type":"A","data":1,"meta":1},{"data":1}]"#,
            ["[0]:wrongType", "[1].meta:wrongType", "[2].type:missing"]
        ),
    ])
    func `an event that is wrong is named with its place`(stream: String, body: String, rules: [String]) {
        let failure = reader.failure("APPEND \(stream) \(body)")
        expect(failure?.code == .invalid)
        expect(failure?.rules == rules)
    }

    @Test func `the built-in categories take no events of others`() {
        let kept = ["model-1", "cursor-1", "erasure-1", "system-1"]
        for stream in ["user-1", "story-1", "message-1", "photo-1"] + kept {
            expect(reader.failure("APPEND \(stream) {\"type\":\"A\",\"data\":{}}")?.code == .denied)
            let pair = #"[{"stream":"a-1","type":"A","data":1},{"stream":"\#(stream)","type":"A","data":1}]"#
            expect(reader.failure("APPEND * \(pair)")?.code == .denied)
            expect(reader.failure("APPEND * \(pair)")?.message.contains(stream.dropLast(2)) == true)
        }
        expect(reader.failure("APPEND stories-1 {\"type\":\"A\",\"data\":{}}") == nil)
    }

    @Test func `limits of the JSON are told`() {
        let event = #"{"type":"A","data":1}"#
        let many = Array(repeating: event, count: 1_001).joined(separator: ",")
        expect(reader.failure("APPEND note-1 [\(many)]")?.detail == .limit(1_000))
        expect(reader.failure("APPEND note-1 [\(many.dropFirst(event.count + 1))]") == nil)
        let members = (0..<10_001).map { "\"k\($0)\":1" }
        expect(reader.failure("POST users {\(members.joined(separator: ","))}")?.detail == .limit(10_000))
        expect(reader.failure("POST users {\(members.dropLast().joined(separator: ","))}") == nil)
        let twice = (members.dropLast(2) + ["\"k\\u0035\":2"]).joined(separator: ",")
        expect(reader.failure("POST users {\(twice)}")?.message.contains("\"k5\"") == true)
        expect(reader.failure(nested(63, "")) == nil)
        expect(reader.failure(nested(63, "1")) == nil)
        expect(reader.failure(nested(64, ""))?.detail == .limit(64))
        expect(reader.failure(nested(200_000, ""))?.detail == .limit(64))
    }

    @Test(arguments: [
        "POST users " + String(repeating: "[", count: 200_000),
        "POST users {\"a\":" + String(repeating: "{\"a\":", count: 100_000),
        "POST users {\"name\":\"\\ud800\"}", "POST users {\"prefecture\":1e999}", "POST users {", "POST users {}x",
        "POST users \u{0}", "APPEND note-1 {\"type\":\"A\",\"data\":{\"x\":NaN}}", "APPEND note-1 []",
        "APPEND note-1 {\"type\":\"\",\"data\":{}}",
    ])
    func `hostile lines are refused`(line: String) {
        expect(reader.failure(line) != nil)
        expect(reader.action("PING") == .ping)
    }

    @Test func `a message shows a long name cut short`() {
        let failure = reader.failure(String(repeating: "x", count: 100_000))
        expect(failure?.code == .unknown)
        expect((failure?.message.utf8.count ?? .max) < 200)
    }

    /// A form whose only member holds so many arrays inside one another.
    private func nested(_ count: Int, _ inside: String) -> String {
        "POST users {\"a\":\(String(repeating: "[", count: count))\(inside)\(String(repeating: "]", count: count))}"
    }
}
