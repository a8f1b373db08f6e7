import Testing

/// Events of the users' own: appending, reading, following, many requests at once.
@Suite struct EventScenarioTests {
    /// Ten events: `note-1` at the odd positions, `task-1` at the even ones.
    private var ten: [Scenario.Step] {
        (1...10).map { number in
            let (stream, type) = number % 2 == 1 ? ("note-1", "Odd") : ("task-1", "Even")
            return .says(
                #"APPEND \#(stream) {"type":"\#(type)","data":{"n":\#(number)}}"#,
                #"+ {"stream":"\#(stream)","version":\#((number + 1) / 2),"position":\#(number),"time":"<time>"}"#)
        }
    }

    private func reads(_ line: String, _ positions: Int..., next: Int? = nil) -> Scenario.Step {
        let rows = positions.map { #"= {"position":\#($0),<rest>"# }
        let next = next.map { #","next":\#($0)"# } ?? ""
        return .sends([line], rows + [#"+ {"count":\#(positions.count)\#(next),"position":10}"#], by: "a")
    }

    @Test(arguments: DepthKind.allCases)
    func `events are read by range, stream, category, type and direction`(depth: DepthKind) throws {
        let steps = [
            reads("READ events", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
            reads("READ events from=4 to=6", 4, 5, 6),
            reads("READ events limit=2", 1, 2, next: 3),
            reads("READ events from=3 limit=2", 3, 4, next: 5),
            reads("READ events order=desc limit=3", 10, 9, 8, next: 7),
            reads("READ events/note-1 from=2 to=3", 3, 5),
            reads("READ events/note-* from=4 limit=2", 5, 7, next: 9),
            reads("READ events/task-* order=desc limit=2", 10, 8, next: 6),
            reads("READ events types=Odd limit=2", 1, 3, next: 4),
            reads("READ events types=Odd,Even from=9", 9, 10),
            reads("READ events/note-1 order=desc", 9, 7, 5, 3, 1),
            reads("READ events/none-1"),
            reads("READ events from=7 to=6"),
            reads("READ events from=11"),
            .says(
                "STREAMS", #"= {"stream":"note-1","version":5,"position":9}"#,
                #"= {"stream":"task-1","version":5,"position":10}"#, #"+ {"count":2,"position":10}"#),
        ]
        try Scenario(ten + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `several streams are appended to together or not at all, and a key covers all of it`(depth: DepthKind) throws {
        let pair =
            #"APPEND * key=k [{"stream":"a-1","version":0,"type":"A","data":1,"tags":["t:1","t:2"]},{"stream":"b-1","type":"B","data":2},{"stream":"a-1","version":1,"type":"A","data":3}]"#
        try Scenario(
            .says(
                pair, #"= {"stream":"a-1","version":2,"position":3,"time":"<time>"}"#,
                #"= {"stream":"b-1","version":1,"position":2,"time":"<time>"}"#, #"+ {"count":2,"position":3}"#),
            .says(
                pair, #"= {"stream":"a-1","version":2,"position":3,"time":"<time>","repeated":true}"#,
                #"= {"stream":"b-1","version":1,"position":2,"time":"<time>","repeated":true}"#,
                #"+ {"count":2,"position":3,"repeated":true}"#),
            .says(
                #"APPEND * [{"stream":"c-1","version":0,"type":"A","data":1},{"stream":"b-1","version":0,"type":"A","data":1}]"#,
                #"- {"code":"conflict","message":"b-1 is at version 1, not 0","retry":"refetch","stream":"b-1","expected":0,"actual":1}"#
            ),
            .says(
                #"APPEND * [{"stream":"system-1","type":"A","data":1}]"#,
                #"- {"code":"denied","message":"<text>","retry":"never"}"#),
            .says(
                "READ events",
                #"= {"position":1,"stream":"a-1","version":1,"type":"A","time":"<time>","by":<number>,"key":"k","tags":["t:1","t:2"],"data":1}"#,
                #"= {"position":2,<rest>"#, #"= {"position":3,<rest>"#, #"+ {"count":3,"position":3}"#),
            .says(
                "SUBSCRIBE events from=5",
                #"- {"code":"invalid","message":"<text>","retry":"never","fields":[{"field":"from","rule":"outOfRange","message":"<text>"}]}"#
            ),
            .says(
                "READ events log=another", #"- {"code":"diverged","message":"<text>","retry":"never","log":"<id>"}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `data and meta are kept byte for byte, and an array is appended whole or not at all`(depth: DepthKind) throws {
        try Scenario(
            .says(
                #"APPEND note-1 {"type":"A","data":{ "b" : 1.50, "a":[1,  2],"c":"\u00e9" },"meta":{"x": 1}}"#,
                #"+ {"stream":"note-1","version":1,<rest>"#),
            .says(
                #"APPEND note-1 [{"type":"B","data":{}},{"type":"C"}]"#,
                #"- {"code":"invalid","message":"<text>","retry":"never","fields":[{"field":"[1].data","rule":"missing","message":"<text>"}]}"#
            ),
            .says(
                "READ events",
                #"= {"position":1,"stream":"note-1","version":1,"type":"A","time":"<time>","by":<number>,"meta":{"x": 1},"data":{ "b" : 1.50, "a":[1,  2],"c":"\u00e9" }}"#,
                #"+ {"count":1,"position":1}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `a subscription catches up and goes on live, and ends when it is told to`(depth: DepthKind) throws {
        let steps: [Scenario.Step] = [
            .connects("b"),
            .says(
                "SUBSCRIBE events from=9", #"+ {"subscription":1,"position":10}"#, #">1 {"position":9,<rest>"#,
                #">1 {"position":10,<rest>"#, #">1 {"caughtUp":10}"#, by: "b"),
            .says(
                "SUBSCRIBE events/task-* types=Done", #"+ {"subscription":2,"position":10}"#, #">2 {"caughtUp":10}"#,
                by: "b"),
            .says(#"APPEND task-1 {"type":"Even","data":{}}"#, #"+ {"stream":"task-1",<rest>"#),
            .hears(#">1 {"position":11,"stream":"task-1",<rest>"#, by: "b"),
            .says(#"APPEND task-2 {"type":"Done","data":{}}"#, #"+ {"stream":"task-2",<rest>"#),
            .hears(#">1 {"position":12,<rest>"#, #">2 {"position":12,<rest>"#, by: "b"),
            .says("UNSUBSCRIBE 1", #"+ {"unsubscribed":1,"resume":13}"#, by: "b"),
            .says(#"APPEND task-2 {"type":"Done","data":{}}"#, #"+ {"stream":"task-2",<rest>"#),
            .hears(#">2 {"position":13,<rest>"#, by: "b"),
            .says("PING", #"+ {"position":13}"#, by: "b"),
        ]
        try Scenario(ten + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `requests sent at once are answered in their order, each with its tag`(depth: DepthKind) throws {
        let lines = [
            #"@1 APPEND note-1 {"type":"A","data":{}}"#, "@2 READ events", "@3 nonsense", "@4 COUNT users",
            #"@5 APPEND note-1 version=1 {"type":"B","data":{}}"#, "@6 STREAMS", "ping",
        ]
        let replies = [
            #"+@1 {"stream":"note-1","version":1,"position":1,"time":"<time>"}"#, #"=@2 {"position":1,<rest>"#,
            #"+@2 {"count":1,"position":1}"#, #"-@3 {"code":"unknown",<rest>"#, #"+@4 {"count":0,"position":1}"#,
            #"+@5 {"stream":"note-1","version":2,"position":2,"time":"<time>"}"#,
            #"=@6 {"stream":"note-1","version":2,"position":2}"#, #"+@6 {"count":1,"position":2}"#,
            #"+ {"position":2}"#,
        ]
        try Scenario(.sends(lines, replies, by: "a")).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `a thousand requests at once get a thousand replies in order`(depth: DepthKind) throws {
        let lines = (1...1_000).map { #"@\#($0) APPEND note-\#($0 % 7) {"type":"A","data":\#($0)}"# }
        let replies = (1...1_000).map {
            #"+@\#($0) {"stream":"note-\#($0 % 7)","version":<number>,"position":\#($0),"time":"<time>"}"#
        }
        try Scenario(.sends(lines, replies, by: "a")).play(at: depth)
    }
}
