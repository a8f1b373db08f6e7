import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct RequestReaderTests {
    private let reader = RequestReader()

    @Test(
        arguments: [
            ("PING", .ping),
            ("ping", .ping),
            ("  PiNg  ", .ping),
            ("STATS", .stats),
            ("CHECKPOINT", .checkpoint),
            ("VERIFY", .verify(at: nil)), ("VERIFY at=7", .verify(at: .position(Position(7)))),
            ("QUIT", .quit),
            ("HELP", .help(nil)),
            ("HELP get", .help("get")),
            ("MODELS", .models(nil)), ("MODELS users", .models("users")), ("MODELS orders", .models("orders")),
            ("BACKUP \"/var/my backups\"", .backup(bytes("/var/my backups"))),
            ("BACKUP /tmp/x=y", .backup(bytes("/tmp/x=y"))),
            ("CLUSTER", .cluster(nil)), ("cluster promote n2", .cluster(.promote("n2"))),
            ("CLUSTER remove  n-1.a_b", .cluster(.remove("n-1.a_b"))),
            (#"BACKUP "/tmp/\u5f69\"花""#, .backup(bytes("/tmp/彩\"花"))),
            ("UNSUBSCRIBE 3", .unsubscribe(SubscriptionID(3))),
            ("SUBSCRIBE events", .subscribe(SubscribeQuery(EventSelection(source: .all)))),
            (
                "SUBSCRIBE events/note-* from=7 types=A,B",
                .subscribe(
                    SubscribeQuery(
                        EventSelection(
                            source: .category(category("note")), EventQuery(types: [type("A"), type("B")])),
                        from: .position(Position(7))))
            ),
            (
                "SUBSCRIBE events/note-1 tags=~!@#$%^&*()",
                .subscribe(
                    SubscribeQuery(
                        EventSelection(source: .stream(stream("note-1")), EventQuery(tags: ["~!@#$%^&*()".eventTag]))))
            ),
            (
                "SUBSCRIBE store://stories/12345",
                .subscribe(
                    SubscribeQuery(
                        EventSelection(source: .stream(stream("story-12345"))), subject: .row(.stories, id("12345"))))
            ),
            (
                "SUBSCRIBE stories",
                .subscribe(
                    SubscribeQuery(EventSelection(source: .category(category("story"))), subject: .list(.stories, [])))
            ),
            (
                "SUBSCRIBE events log=9f3c from=1970-01-01T00:00:01Z",
                .subscribe(
                    SubscribeQuery(
                        EventSelection(source: .all), from: .time(Instant(milliseconds: 1_000)),
                        log: LogID(trusted: bytes("9f3c"))))
            ),
        ] as [(String, RequestAction)])
    func `verbs that steer are read`(line: String, action: RequestAction) {
        expect(
            reader.read(line) == KeptLine(tag: nil, verb: action.verb, role: role(action), result: .success(action)))
    }

    @Test(
        arguments: [
            ("GET stories/12345", .get(.stories, id("12345"), at: nil)),
            ("GET store://stories/12345", .get(.stories, id("12345"), at: nil)),
            ("GET   users/007   at=9007199254740991", .get(.users, id("007"), at: .position(.max))),
            (
                "GET photos/p at=1970-01-01T09:00:01+09:00",
                .get(.photos, id("p"), at: .time(Instant(milliseconds: 1_000)))
            ),
            (
                "GET messages/m at=\"1970-01-01 00:00:01Z\"",
                .get(.messages, id("m"), at: .time(Instant(milliseconds: 1_000)))
            ),
            ("SORTS photos", .sorts(.photos)),
            ("COUNT users", .count(.users, [])),
            (
                "COUNT users prefecture=13 email=A@Example.ORG",
                .counting(.users, [.prefecture(13), .email(bytes("a@example.org"))])
            ),
            (
                "LIST stories",
                .listing(.stories)
            ),
            (
                "list stories order=asc recipient=008 limit=1000 sort=likes sender=007 after=%%%",
                .listing(
                    .stories, [.recipient(id("008")), .sender(id("007"))], sort: .likes, order: .ascending,
                    limit: 1_000,
                    after: bytes("%%%"))
            ),
            (
                "LIST messages between=a,b story=s unseen=true",
                .listing(
                    .messages, [.between(id("a"), id("b")), .story(id("s")), .unseen(true)], sort: .date,
                    order: .descending, limit: 50,
                    after: nil)
            ),
            (
                "LIST photos owner=a sort=exposureDuration",
                .listing(
                    .photos, [.owner(id("a"))], sort: .exposureDuration, order: .descending, limit: 50,
                    after: nil)
            ),
            (
                "READ events",
                .read(
                    ReadQuery(
                        selection: EventSelection(source: .all), from: nil, to: nil, limit: 1_000, order: .ascending))
            ),
            (
                "READ events/story-1 from=2 to=5 limit=10000 order=desc types=StoryLiked",
                .read(
                    ReadQuery(
                        selection: EventSelection(
                            source: .stream(stream("story-1")), EventQuery(types: [type("StoryLiked")])),
                        from: .number(2), to: .number(5), limit: 10_000, order: .descending))
            ),
            (
                "READ events tags=course:c1,vip,course:c1 types=A",
                .read(
                    ReadQuery(
                        selection: EventSelection(
                            source: .all, EventQuery(types: [type("A")], tags: ["course:c1".eventTag, "vip".eventTag])),
                        from: nil, to: nil, limit: 1_000, order: .ascending))
            ),
            (
                #"COUNT events/note-* tags="{a},b=c""#,
                .countEvents(
                    ReadQuery(
                        selection: EventSelection(
                            source: .category(category("note")), EventQuery(tags: ["{a}".eventTag, "b=c".eventTag])),
                        from: nil, to: nil, limit: 1_000, order: .ascending))
            ),
            (
                "READ events from=1970-01-01T00:00:01Z to=7 log=another",
                .read(
                    ReadQuery(
                        selection: EventSelection(source: .all), from: .time(Instant(milliseconds: 1_000)),
                        to: .number(7), limit: 1_000, order: .ascending, log: LogID(trusted: bytes("another"))))
            ),
            (
                "COUNT photos until=1970-01-01T00:00:01Z since=\"1970-01-01 00:00:00Z\"",
                .counting(
                    .photos,
                    [.until(Instant(milliseconds: 1_000)), .since(Instant(milliseconds: 0))])
            ),
            (
                "READ events/task-*",
                .read(
                    ReadQuery(
                        selection: EventSelection(source: .category(category("task"))), from: nil, to: nil,
                        limit: 1_000,
                        order: .ascending))
            ),
            (
                "COUNT events",
                .countEvents(
                    ReadQuery(
                        selection: EventSelection(source: .all), from: nil, to: nil, limit: 1_000, order: .ascending))
            ),
            (
                "COUNT events/note-* from=2 to=1970-01-01T00:00:01Z types=A,B log=another",
                .countEvents(
                    ReadQuery(
                        selection: EventSelection(
                            source: .category(category("note")), EventQuery(types: [type("A"), type("B")])),
                        from: .number(2), to: .time(Instant(milliseconds: 1_000)), limit: 1_000, order: .ascending,
                        log: LogID(trusted: bytes("another"))))
            ),
            ("TYPES", .types(TypesQuery(category: nil))),
            ("types note-* limit=7", .types(TypesQuery(category: category("note"), limit: 7))),
            ("TYPES after=Wrote", .types(TypesQuery(category: nil, after: type("Wrote")))),
            ("STREAMS", .streams(StreamsQuery(source: .all, after: nil, limit: 50))),
            ("STREAMS after=a-1 limit=7", .streams(StreamsQuery(source: .all, after: stream("a-1"), limit: 7))),
            ("STREAMS note-*", .streams(StreamsQuery(source: .category(category("note")), after: nil, limit: 50))),
            ("STREAMS note-1-2", .streams(StreamsQuery(source: .stream(stream("note-1-2")), after: nil, limit: 50))),
        ] as [(String, RequestAction)])
    func `queries are read`(line: String, action: RequestAction) {
        expect(reader.read(line) == KeptLine(tag: nil, verb: action.verb, role: .read, result: .success(action)))
    }

    @Test(
        arguments: [
            (
                #"POST users {"id":"007","name":"彩花\n","prefecture":13,"x":1.5,"y":null,"z":true,"o":{ "a":[1] },"l":[ ]}"#,
                .post(
                    .users,
                    [
                        JSONMember("id", .string("007")), JSONMember("name", .string("彩花\n")),
                        JSONMember("prefecture", .integer(13)), JSONMember("x", .number(1.5)), JSONMember("y", .null),
                        JSONMember("z", .boolean(true)), JSONMember("o", .object(bytes(#"{ "a":[1] }"#))),
                        JSONMember("l", .array(bytes("[ ]"))),
                    ], WriteOptions())
            ),
            (
                #"POST stories key=k1 version=0 meta="{\"a\":1}" {}"#,
                .post(.stories, [], WriteOptions(key: key("k1"), version: .zero, meta: view(#"{"a":1}"#)))
            ),
            (#"POST photos meta=" {} " {}"#, .post(.photos, [], WriteOptions(meta: view("{}")))),
            (
                #"EDIT stories/1 version=7 {"title":"No"}"#,
                .edit(.stories, id("1"), [JSONMember("title", .string("No"))], WriteOptions(version: Version(7)))
            ),
            (
                #"LIKE stories/1 {"user":"009"}"#,
                .like(.stories, id("1"), [JSONMember("user", .string("009"))], WriteOptions())
            ),
            (
                #"UNLIKE stories/1 { "user" : "009" } "#,
                .unlike(.stories, id("1"), [JSONMember("user", .string("009"))], WriteOptions())
            ),
            ("SEE messages/m key=a", .see(.messages, id("m"), WriteOptions(key: key("a")))),
            ("DELETE photos/p", .delete(.photos, id("p"), WriteOptions())),
            (
                #"APPEND note-1 {"type":"Wrote","data":{ "b" : 1.50, "a":[1,  2],"c":"\u00e9" },"meta":{"cause":"x"}}"#,
                .append(
                    stream("note-1"),
                    [
                        EventProposal(
                            type: type("Wrote"), data: view(#"{ "b" : 1.50, "a":[1,  2],"c":"\u00e9" }"#),
                            meta: view(#"{"cause":"x"}"#))
                    ], WriteOptions())
            ),
            (
                #"append n-1 key=k [ {"data":1,"type":"A"} , {"type":"\u0042","data": "x" }, {"type":"C","data":null}]"#,
                .append(
                    stream("n-1"),
                    [
                        EventProposal(type: type("A"), data: view("1"), meta: nil),
                        EventProposal(type: type("B"), data: view("\"x\""), meta: nil),
                        EventProposal(type: type("C"), data: view("null"), meta: nil),
                    ], WriteOptions(key: key("k")))
            ),
        ] as [(String, RequestAction)])
    func `writes are read`(line: String, action: RequestAction) {
        expect(reader.read(line) == KeptLine(tag: nil, verb: action.verb, role: .write, result: .success(action)))
    }

    @Test func `a tag is read before the verb and before an error`() {
        expect(reader.read("@a.1 list users").tag == tag("a.1"))
        expect(reader.read("@b nonsense").tag == tag("b"))
        expect(reader.read("@b").tag == tag("b"))
        expect(reader.read("@b PING\r").tag == tag("b"))
        expect(reader.read("@b POST users {\"a\":\"\u{7F}\"").tag == tag("b"))
        expect(reader.read("@" + String(repeating: "a", count: 32) + " PING").failure == nil)
        expect(reader.read("@" + String(repeating: "a", count: 33) + " PING").tag == nil)
        expect(reader.failure("@" + String(repeating: "a", count: 33) + " PING")?.code == .syntax)
        expect(reader.failure("@ PING")?.code == .syntax)
        expect(reader.failure("@a!b PING")?.code == .syntax)
    }

    @Test func `tabs within the JSON are white space`() {
        expect(
            reader.action("POST users {\t\"id\":\t\"1\"}")
                == .post(.users, [JSONMember("id", .string("1"))], WriteOptions()))
    }

    private func role(_ action: RequestAction) -> Role {
        switch action {
        case .operate(.checkpoint), .operate(.verify), .operate(.backup), .operate(.cluster(.some)): .admin
        default: .read
        }
    }
}
