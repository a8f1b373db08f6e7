import StoryCore
import TestSupport
import Testing

@testable import StoryWire

/// `query=` of reads and `unless=` of writes: queries of events as JSON.
struct QueryOptionTests {
    private let reader = RequestReader()

    private static func item(
        _ source: EventSelection.Source = .all, tags: [String] = [], types: [String] = []
    ) -> EventSelection {
        EventSelection(source: source, EventQuery(types: types.map(\.type), tags: tags.map(\.eventTag)))
    }

    private func unless(_ json: String) -> EventPreconditions? {
        reader.action(#"APPEND n-1 unless=\#(json) {"type":"T","data":1}"#)?.unless
    }

    private static let tagged = item(tags: ["a:1", "b,c"])

    @Test(arguments: [
        (#"{"tags":["a:1","b,c"]}"#, [tagged]), (#"{"any":[{"tags":["a:1","b,c","a:1"]}]}"#, [tagged]),
        (#"{ "types" : ["A","B"] , "stream" : "order-*" }"#, [item(.category("order".category), types: ["A", "B"])]),
        (#"{"any":[{"stream":"order-7"},{"tags":["\u0061:1","b,c"]}]}"#, [item(.stream("order-7".stream)), tagged]),
    ])
    func `an item, or any of several, is a query`(json: String, items: [EventSelection]) {
        let query = EventQuery(types: ["T".type], tags: ["x".eventTag], items: items)
        expect(
            reader.action("READ events query=\(json) types=T tags=x")
                == .read(
                    .read(
                        ReadQuery(
                            selection: EventSelection(source: .all, query), from: nil, to: nil, limit: 1_000,
                            order: .ascending))))
        expect(
            reader.action("SUBSCRIBE events/note-1 query=\(json)")
                == .follow(
                    .subscribe(
                        SubscribeQuery(
                            EventSelection(source: .stream("note-1".stream), EventQuery(items: items))))))
        expect(
            unless(json) == EventPreconditions([EventPrecondition(EventQuery(items: items))], isArray: false))
        expect(
            unless("[\(json),{\"after\":7,\"tags\":[\"x\"]}]")
                == EventPreconditions(
                    [
                        EventPrecondition(EventQuery(items: items)),
                        EventPrecondition(EventQuery(items: [Self.item(tags: ["x"])]), after: Position(7)),
                    ], isArray: true))
    }

    private static let many = (0..<33).map { #"{"tags":["t\#($0)"]}"# }.joined(separator: ",")

    @Test(arguments: [
        ("{}", ["empty"]), (#"{"after":1}"#, ["empty"]), ("[]", ["empty"]), ("7", ["wrongType"]), ("x", ["malformed"]),
        (#"{"tags":[]}"#, [".tags:empty"]), (#"{"types":[]}"#, [".types:empty"]), (#"{"any":[]}"#, [".any:empty"]),
        (#"{"any":{}}"#, [".any:wrongType"]), (#"{"any":[7]}"#, [".any[0]:wrongType"]),
        (#"{"any":[{}]}"#, [".any[0]:empty"]), (#"{"any":[{"tags":["a"]}],"types":["A"]}"#, [".any:unknownField"]),
        (#"{"any":[{"tags":["a"],"after":1}]}"#, [".any[0].after:unknownField"]),
        (#"{"tags":"a"}"#, [".tags:wrongType"]),
        (
            #"{"tags":["a",1," b",""]}"#,
            [
                ".tags[1]:wrongType", ".tags[2]:malformed", ".tags[3]:empty",
            ]
        ),
        (
            #"{"types":["A B"],"stream":"order","more":1}"#,
            [
                ".types[0]:malformed", ".stream:malformed", ".more:unknownField",
            ]
        ),
        (#"{"stream":7}"#, [".stream:wrongType"]), (#"{"tags":["a"],"after":-1}"#, [".after:outOfRange"]),
        (#"{"tags":["a"],"after":"1"}"#, [".after:wrongType"]),
        (#"{"tags":["a"],"after":9007199254740992}"#, [".after:outOfRange"]),
        ("{\"any\":[\(many)]}", [".any:tooLong"]),
        (#"{"any":[{"tags":["a"]},{"tags":["a",true]}]}"#, [".any[1].tags[1]:wrongType"]),
    ])
    func `each wrong place of unless= is told by its path`(json: String, expected: [String]) {
        let failure = reader.failure(#"APPEND n-1 unless=\#(json) {"type":"T","data":1}"#)
        let rules = expected.map { $0.hasPrefix(".") ? "unless\($0)" : "unless:\($0)" }
        expect(failure?.rules == rules, "\(json): \(failure as Any)")
        guard json.hasPrefix("{") else { return }
        let second = reader.failure(#"DELETE stories/1 unless=[{"tags":["a"]},\#(json)]"#)
        expect(second?.rules == expected.map { $0.hasPrefix(".") ? "unless[1]\($0)" : "unless[1]:\($0)" })
    }

    @Test func `a limit is of the sum, and after= is none of a query's members`() {
        let tags = { (count: Int) in (0..<count).map { "\"t\($0)\"" }.joined(separator: ",") }
        expect(reader.failure("READ events query={\"tags\":[\(tags(17))]}")?.rules == ["query.tags:tooLong"])
        expect(reader.failure("READ events query={\"types\":[\(tags(65))]}")?.rules == ["query.types:tooLong"])
        expect(reader.failure(#"READ events query={"tags":["a"],"after":1}"#)?.rules == ["query.after:unknownField"])
        expect(reader.failure(#"READ events query=[{"tags":["a"]}]"#)?.rules == ["query:wrongType"])
        let one = #"{"tags":["a"]}"#
        func list(_ count: Int) -> String { "[" + Array(repeating: one, count: count).joined(separator: ",") + "]" }
        expect(unless(list(8))?.list.count == 8)
        expect(reader.failure("DELETE stories/1 unless=\(list(9))")?.rules == ["unless:tooLong"])
        // Seventeen items in each of two queries are more than one write may have.
        let any = "{\"any\":[" + Array(repeating: one, count: 17).joined(separator: ",") + "]}"
        expect(reader.failure("DELETE stories/1 unless=[\(any),\(any)]")?.rules == ["unless[1].any:tooLong"])
        expect(reader.failure("READ misfits/m query=\(one)")?.rules == ["query:unknownField"])
        expect(reader.failure("DEFINE m unless=\(one) \"from a; n: number; on * { n = 1 }\"")?.code == .unknown)
    }

    @Test func `a stream and a version alone are checked`() throws {
        let event = #"{"stream":"b-1","type":"T","data":1}"#
        let event2 = EventProposal(type: type("T"), data: view("1"), meta: nil)
        expect(
            reader.action(#"APPEND * [{"stream":"a-1","version":7},\#(event),{"version":0,"stream":"story-1"}]"#)
                == .write(
                    .appendTogether(
                        [
                            StreamProposal(checking: stream("a-1"), Version(7)),
                            StreamProposal(stream: stream("b-1"), event: event2),
                            StreamProposal(checking: stream("story-1"), .zero),
                        ], WriteOptions())))
        for (element, rules) in [
            (#"{"stream":"a-1"}"#, ["[1].type:missing", "[1].data:missing"]),
            (#"{"stream":"a-1","version":1,"data":1}"#, ["[1].type:missing"]),
            (#"{"stream":"a-1","version":1,"tags":["a"]}"#, ["[1].type:missing", "[1].data:missing"]),
            (#"{"version":1}"#, ["[1].stream:missing"]),
            (
                #"{"stream":"a-1","version":"1"}"#,
                [
                    "[1].version:wrongType", "[1].type:missing", "[1].data:missing",
                ]
            ),
        ] {
            expect(reader.failure("APPEND * [\(event),\(element)]")?.rules == rules, "\(element)")
        }
        expect(reader.failure(#"APPEND a-1 [{"version":7}]"#)?.rules.contains("[0].version:unknownField") == true)
    }
}

extension RequestAction {
    /// The preconditions of a write.
    fileprivate var unless: EventPreconditions? {
        switch self {
        case .write(.append(_, _, let options)): options.unless
        case .read, .write, .follow, .operate: nil
        }
    }
}
