import StoryCore
import Testing

/// Every error that a client can bring about, with what it carries besides.
@Suite struct ErrorScenarioTests {
    @Test(arguments: DepthKind.allCases)
    func `what is no request is a syntax error that names its column`(depth: DepthKind) throws {
        try Scenario(
            .says("PING", #"+ {"position":0}"#),
            .says("PING\r", #"- {"code":"syntax","message":"<text>","retry":"never","column":5}"#),
            .says("@a GET", #"-@a {"code":"syntax","message":"<text>","retry":"never","column":<number>}"#),
            .says("PING", #"+ {"position":0}"#),
            .sends(
                ["!", "POST users {", "{}", "PING"],
                [
                    #"- {"code":"syntax","message":"<text>","retry":"never","column":1}"#,
                    #"- {"code":"syntax","message":"<text>","retry":"never","column":<number>}"#,
                    #"- {"code":"syntax","message":"<text>","retry":"never","column":1}"#,
                ], by: "a"),
            .isClosed(by: "a"),
            .connects("b"),
            .says(
                "GET / HTTP/1.1\r", #"- {"code":"syntax","message":"<text>","retry":"never","column":15}"#, by: "b"),
            .isClosed(by: "b"),
            .connects("c"),
            .says("HELO example.org", #"- {"code":"unknown","message":"<text>","retry":"never",<rest>"#, by: "c"),
            .isClosed(by: "c")
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `an unknown name is told back, with the nearest where one is close`(depth: DepthKind) throws {
        try Scenario(
            .says("PING", #"+ {"position":0}"#),
            .says(
                "LSIT users",
                #"- {"code":"unknown","message":"<text>","retry":"never","name":"LSIT","nearest":"LIST"}"#),
            .says(
                "GET storys/1",
                #"- {"code":"unknown","message":"<text>","retry":"never","name":"storys","nearest":"stories"}"#),
            .says(
                "LIST users prefectur=1",
                #"- {"code":"unknown","message":"<text>","retry":"never","name":"prefectur","nearest":"prefecture"}"#),
            .says(
                "LIST stories sort=colour",
                #"- {"code":"unknown","message":"<text>","retry":"never","name":"colour"}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `an invalid form is told all its wrong fields at once`(depth: DepthKind) throws {
        try Scenario(
            .says(
                #"POST users {"id":"bad id","name":"","email":"nobody","colour":"red"}"#,
                #"- {"code":"invalid","message":"<text>","retry":"never","fields":[{"field":"colour","rule":"unknownField","message":"<text>"},{"field":"id","rule":"malformed","message":"<text>"},{"field":"name","rule":"empty","message":"<text>"},{"field":"email","rule":"malformed","message":"<text>"},{"field":"prefecture","rule":"notSelected","message":"<text>"}]}"#
            ),
            .says(
                #"POST users {"name":5,"email":"a@example.org","prefecture":48}"#,
                #"- {"code":"invalid","message":"<text>","retry":"never","fields":[{"field":"name","rule":"wrongType","message":"<text>"},{"field":"prefecture","rule":"outOfRange","message":"<text>"}]}"#
            ),
            .says(
                #"POST stories {"message":"\#(String(repeating: "あ", count: 10_001))","sender":"nobody","recipient":"none"}"#,
                #"- {"code":"invalid","message":"<text>","retry":"never","fields":[{"field":"title","rule":"missing","message":"<text>"},{"field":"message","rule":"tooLong","message":"<text>"},{"field":"sender","rule":"noSuch","message":"<text>"},{"field":"recipient","rule":"noSuch","message":"<text>"}]}"#
            ),
            .says("COUNT users", #"+ {"count":0,"position":0}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `what is there already, was there, or never was is told apart`(depth: DepthKind) throws {
        let steps: [Scenario.Step] = [
            .says(
                #"POST users {"id":"007","name":"B","email":"b@example.org","prefecture":1}"#,
                #"- {"code":"exists","message":"<text>","retry":"never","field":"id"}"#),
            .says(
                #"POST users {"id":"9","name":"B","email":"AYAKA@EXAMPLE.org","prefecture":1}"#,
                #"- {"code":"exists","message":"<text>","retry":"never","field":"email"}"#),
            .says("GET users/none", #"- {"code":"notFound","message":"<text>","retry":"never"}"#),
            .says(
                #"POST messages {"id":"m","text":"x","sender":"007","recipient":"008"}"#, #"+ {"id":"m",<rest>"#),
            .says("DELETE messages/m", #"+ {"id":"m",<rest>"#),
            .says("GET messages/m", #"- {"code":"gone","message":"<text>","retry":"never"}"#),
            .says(
                #"POST messages {"id":"m","text":"x","sender":"007","recipient":"008"}"#,
                #"- {"code":"exists","message":"<text>","retry":"never","field":"id"}"#),
            .says("UNSUBSCRIBE 7", #"- {"code":"notFound","message":"<text>","retry":"never"}"#),
        ]
        try Scenario(StoryScenarioTests.users + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `another version is a conflict, and the built-in categories are denied`(depth: DepthKind) throws {
        try Scenario(
            .says(
                #"APPEND note-1 version=7 {"type":"A","data":{}}"#,
                #"- {"code":"conflict","message":"<text>","retry":"refetch","expected":7,"actual":0}"#),
            .says(#"APPEND note-1 version=0 {"type":"A","data":{}}"#, #"+ {"stream":"note-1","version":1,<rest>"#),
            .says(
                #"APPEND note-1 version=0 {"type":"B","data":{}}"#,
                #"- {"code":"conflict","message":"<text>","retry":"refetch","expected":0,"actual":1}"#),
            .says(
                #"APPEND story-1 {"type":"A","data":{}}"#, #"- {"code":"denied","message":"<text>","retry":"never"}"#),
            .says("PING", #"+ {"position":1}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `a line over the limit is too large, and ends the connection`(depth: DepthKind) throws {
        let limit = Limits().line
        try Scenario(
            .says("PING", #"+ {"position":0}"#),
            .says("HELP " + String(repeating: " ", count: limit - 5), #"= {"verb":"GET",<rest>"#, by: "a"),
            .connects("b"),
            .says(
                "PING " + String(repeating: "x", count: limit),
                #"- {"code":"tooLarge","message":"<text>","retry":"never","limit":\#(limit)}"#, by: "b"),
            .isClosed(by: "b")
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `one subscription or connection too many is refused, and the others stay`(depth: DepthKind) throws {
        var limits = Limits()
        limits.connections = 2
        limits.subscriptions = 1
        try Scenario(
            .connects("b"),
            .connects("c", greeting: #"- {"code":"busy","message":"<text>","retry":"later"}"#),
            .isClosed(by: "c"),
            .says(
                "SUBSCRIBE events", #"+ {"subscription":1,"position":0}"#, #">1 {"caughtUp":0}"#),
            .says(
                "SUBSCRIBE events", #"- {"code":"tooLarge","message":"<text>","retry":"never","limit":1}"#),
            .says("PING", #"+ {"position":0}"#, by: "b"),
            .says("QUIT", #"+ {"bye":true,"position":0}"#, by: "b"),
            .isClosed(by: "b"),
            limits: limits
        ).play(at: depth)
    }
}
