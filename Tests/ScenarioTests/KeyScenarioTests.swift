import Testing

/// Keys: a write that is sent again happens once.
@Suite struct KeyScenarioTests {
    @Test(arguments: DepthKind.allCases)
    func `a write that is sent again gets its first receipt again`(depth: DepthKind) throws {
        let array = #"[{"type":"A","data":1},{"type":"B","data":2,"meta":{"m":1}}]"#
        try Scenario(
            .says(
                "APPEND note-1 key=k1 \(array)",
                #"+ {"stream":"note-1","version":2,"position":2,"time":"<time:when>"}"#),
            .says(#"APPEND note-1 {"type":"C","data":3}"#, #"+ {"stream":"note-1","version":3,"position":3,<rest>"#),
            .says(
                "APPEND note-1 key=k1 \(array)",
                #"+ {"stream":"note-1","version":2,"position":2,"time":"<=when>","repeated":true}"#),
            .says("STREAMS note-1", #"= {"stream":"note-1","version":3,"position":3}"#, #"+ {"count":1,"position":3}"#),
            .says("STREAMS note-1 after=note-0", #"= {"stream":"note-1",<rest>"#, #"+ {"count":1,"position":3}"#),
            .says("STREAMS note-1 after=note-1", #"+ {"count":0,"position":3}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `a sign-up that is sent again finds the user that it made`(depth: DepthKind) throws {
        let line = #"POST users key=up.1 {"name":"A","email":"a@example.org","prefecture":1}"#
        try Scenario(
            .says(line, #"+ {"id":"<id:a>","stream":"user-<=a>","version":1,"position":1,"time":"<time:when>"}"#),
            .says(
                line,
                #"+ {"id":"<=a>","stream":"user-<=a>","version":1,"position":1,"time":"<=when>","repeated":true}"#),
            .says("COUNT users", #"+ {"count":1,"position":1}"#)
        ).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `a key of another request is refused before anything else, and nothing is written`(depth: DepthKind) throws {
        let reused = #"- {"code":"keyReused","message":"<text>","retry":"never","position":1}"#
        try Scenario(
            .says(#"APPEND note-1 key=k {"type":"A","data":{}}"#, #"+ {"stream":"note-1",<rest>"#),
            .says(#"APPEND note-1 key=k {"type":"B","data":{}}"#, reused),
            .says(#"APPEND note-2 key=k {"type":"A","data":{}}"#, reused),
            .says(#"APPEND note-1 key=k {"type":"A","data":{},"meta":{}}"#, reused),
            .says("DELETE stories/none key=k", reused),
            .says(#"POST users key=k {}"#, reused),
            .says(#"APPEND note-1 key=k {"type":""}"#, reused),
            .says(#"DELETE stories/none key=k version=x"#, reused),
            .says("PING", #"+ {"position":1}"#)
        ).play(at: depth)
    }
}
