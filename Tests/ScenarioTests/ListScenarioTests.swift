import Testing

/// Lists, counts and their pages.
@Suite struct ListScenarioTests {
    private var stories: [Scenario.Step] {
        let rows = [
            ("a", "Pear", "007", "008", 3), ("b", "apple", "008", "007", 1), ("c", "Fig", "007", "008", 4),
            ("d", "Date", "008", "008", 1),
        ]
        return StoryScenarioTests.users
            + rows.map { id, title, sender, recipient, day in
                .says(
                    #"POST stories {"id":"\#(id)","title":"\#(title)","message":"x","sender":"\#(sender)","recipient":"\#(recipient)","date":"2020-01-0\#(day)T00:00:00Z"}"#,
                    #"+ {"id":"\#(id)",<rest>"#)
            }
    }

    private func lists(_ line: String, _ ids: String..., next: String = "") -> Scenario.Step {
        let rows = ids.map { #"= {"id":"\#($0)",<rest>"# }
        return .sends([line], rows + [#"+ {"count":\#(ids.count)\#(next),"position":<number>}"#], by: "a")
    }

    @Test(arguments: DepthKind.allCases)
    func `lists are filtered and sorted, and the later of rows with equal keys comes first descending`(depth: DepthKind)
        throws
    {
        let steps = [
            lists("LIST stories", "c", "a", "d", "b"),
            lists("LIST stories order=asc", "b", "d", "a", "c"),
            lists("LIST stories sender=007", "c", "a"),
            lists("LIST stories recipient=008 order=asc", "d", "a", "c"),
            lists("LIST stories sender=008 recipient=008", "d"),
            lists("LIST stories sort=title order=asc", "d", "c", "a", "b"),
            lists("LIST users sort=name order=asc", "008", "007"),
            lists("LIST users prefecture=13", "007"),
            .says("COUNT stories sender=008", #"+ {"count":2,"position":6}"#),
            .says(#"LIKE stories/b {"user":"007"}"#, #"+ {"id":"b",<rest>"#),
            lists("LIST stories sort=likes limit=2", "b", "d", next: #","next":"<id>""#),
        ]
        try Scenario(stories + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `pages go on where they ended, whatever is added or deleted meanwhile`(depth: DepthKind) throws {
        let more =
            #"POST stories {"id":"e","title":"New","message":"x","sender":"007","recipient":"008","date":"2021-01-01T00:00:00Z"}"#
        let steps = [
            lists("LIST stories limit=2", "c", "a", next: #","next":"<id:next>""#),
            .says(more, #"+ {"id":"e",<rest>"#),
            .says("DELETE stories/a", #"+ {"id":"a",<rest>"#),
            lists("LIST stories limit=1 after=<=next>", "d", next: #","next":"<id:next>""#),
            lists("LIST stories limit=1 after=<=next>", "b"),
            .says(
                "LIST stories order=asc after=<=next>",
                #"- {"code":"<id>","message":"<text>","retry":"never"<rest>"#),
        ]
        try Scenario(stories + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `each kind tells what it can be sorted by`(depth: DepthKind) throws {
        try Scenario(
            .says(
                "SORTS users", #"= {"sort":"date","title":"Date","order":"desc"}"#,
                #"= {"sort":"name","title":"Name","order":"desc"}"#,
                #"= {"sort":"email","title":"Email","order":"desc"}"#, #"+ {"count":3}"#)
        ).play(at: depth)
    }
}
