import Testing

/// Content from its beginning to its end.
@Suite struct StoryScenarioTests {
    static let users: [Scenario.Step] = [
        .says(
            #"POST users {"id":"007","name":"彩花","email":"ayaka@example.org","prefecture":13}"#,
            #"+ {"id":"007","stream":"user-007","version":1,"position":1,"time":"<time>"}"#),
        .says(
            #"POST users {"id":"008","name":"Ben","email":"ben@example.org","prefecture":1}"#,
            #"+ {"id":"008","stream":"user-008","version":1,"position":2,"time":"<time>"}"#),
    ]

    @Test(arguments: DepthKind.allCases)
    func `a story goes from sign-up to deletion, and its history stays`(depth: DepthKind) throws {
        try Scenario(StoryScenarioTests.users + life + afterlife).play(at: depth)
    }

    private var life: [Scenario.Step] {
        [
            .says(
                #"POST stories {"id":"1","title":"One","message":"Once","sender":"007","recipient":"008","date":"2016-03-03T10:00:00+09:00"}"#,
                #"+ {"id":"1","stream":"story-1","version":1,"position":3,"time":"<time>"}"#),
            .says(
                "GET stories/1",
                #"+ {"id":"1","version":1,"position":3,"title":"One","message":"Once","sender":"007","recipient":"008","date":"2016-03-03T01:00:00.000Z","likes":0}"#
            ),
            .says(
                #"EDIT stories/1 version=1 {"title":"Two"}"#,
                #"+ {"id":"1","stream":"story-1","version":2,"position":4,"time":"<time>"}"#),
            .says(
                #"LIKE stories/1 {"user":"007"}"#,
                #"+ {"id":"1","stream":"story-1","version":3,"position":5,"time":"<time>"}"#),
            .says(
                #"LIKE stories/1 {"user":"007"}"#,
                #"+ {"id":"1","stream":"story-1","version":3,"position":5,"changed":false}"#),
            .says(
                "GET store://stories/1",
                #"+ {"id":"1","version":3,"position":5,"title":"Two","message":"Once","sender":"007","recipient":"008","date":"2016-03-03T01:00:00.000Z","likes":1}"#
            ),
            .says(
                #"UNLIKE stories/1 {"user":"007"}"#,
                #"+ {"id":"1","stream":"story-1","version":4,"position":6,"time":"<time>"}"#),
            .says("COUNT stories", #"+ {"count":1,"position":6}"#),
        ]
    }

    private var afterlife: [Scenario.Step] {
        [
            .says(
                "DELETE stories/1", #"+ {"id":"1","stream":"story-1","version":5,"position":7,"time":"<time>"}"#),
            .says("GET stories/1", #"- {"code":"gone","message":"<text>","retry":"never"}"#),
            .says("LIST stories", #"+ {"count":0,"position":7}"#),
            .says(
                "GET stories/1 at=6",
                #"+ {"id":"1","version":4,"position":6,"title":"Two","message":"Once","sender":"007","recipient":"008","date":"2016-03-03T01:00:00.000Z","likes":0}"#
            ),
            .says("GET stories/1 at=2", #"- {"code":"notFound","message":"<text>","retry":"never"}"#),
            .says(
                "@h READ events/story-1",
                #"=@h {"position":3,"stream":"story-1","version":1,"type":"StoryPosted","time":"<time>","by":<number>,"data":{"title":"One","message":"Once","sender":"007","recipient":"008","date":"2016-03-03T01:00:00.000Z"}}"#,
                #"=@h {"position":4,"stream":"story-1","version":2,"type":"StoryRevised","time":"<time>","by":<number>,"data":{"title":"Two"}}"#,
                #"=@h {"position":5,"stream":"story-1","version":3,"type":"StoryLiked","time":"<time>","by":<number>,"data":{"user":"007"}}"#,
                #"=@h {"position":6,"stream":"story-1","version":4,"type":"StoryUnliked","time":"<time>","by":<number>,"data":{"user":"007"}}"#,
                #"=@h {"position":7,"stream":"story-1","version":5,"type":"StoryDeleted","time":"<time>","by":<number>,"data":{}}"#,
                #"+@h {"count":5,"position":7}"#),
        ]
    }

    @Test(arguments: DepthKind.allCases)
    func `a message is sent about a story, seen once and deleted`(depth: DepthKind) throws {
        let steps: [Scenario.Step] = [
            .says(
                #"POST messages {"id":"m","text":"Hello","sender":"007","recipient":"008"}"#,
                #"+ {"id":"m","stream":"message-m","version":1,"position":3,"time":"<time:when>"}"#),
            .says(
                "GET messages/m",
                #"+ {"id":"m","version":1,"position":3,"text":"Hello","sender":"007","recipient":"008","date":"<=when>","seen":false}"#
            ),
            .says("COUNT messages recipient=008 unseen=true", #"+ {"count":1,"position":3}"#),
            .says(
                "SEE messages/m", #"+ {"id":"m","stream":"message-m","version":2,"position":4,"time":"<time>"}"#),
            .says("SEE messages/m", #"+ {"id":"m","stream":"message-m","version":2,"position":4,"changed":false}"#),
            .says("COUNT messages recipient=008 unseen=true", #"+ {"count":0,"position":4}"#),
            .says(
                "DELETE messages/m version=2",
                #"+ {"id":"m","stream":"message-m","version":3,"position":5,"time":"<time>"}"#),
            .says("SEE messages/m", #"- {"code":"gone","message":"<text>","retry":"never"}"#),
        ]
        try Scenario(StoryScenarioTests.users + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `a photo is added, its exposure revised, and the photo deleted`(depth: DepthKind) throws {
        let steps: [Scenario.Step] = [
            .says(
                #"POST photos {"id":"p","owner":"007","iso":400,"focalLength":35.5,"exposureValue":-1,"exposureDuration":"1/125","flash":"redEye","date":"2020-01-01T00:00:00Z"}"#,
                #"+ {"id":"p","stream":"photo-p","version":1,"position":3,"time":"<time>"}"#),
            .says(
                #"EDIT photos/p {"exposureValue":1.5,"exposureDuration":"1/250"}"#,
                #"+ {"id":"p","stream":"photo-p","version":2,"position":4,"time":"<time>"}"#),
            .says(
                "GET photos/p",
                #"+ {"id":"p","version":2,"position":4,"owner":"007","iso":400,"focalLength":35.5,"exposureValue":1.5,"exposureDuration":"1/250","flash":"redEye","date":"2020-01-01T00:00:00.000Z"}"#
            ),
            .says(
                "DELETE photos/p", #"+ {"id":"p","stream":"photo-p","version":3,"position":5,"time":"<time>"}"#),
            .says("LIST photos owner=007", #"+ {"count":0,"position":5}"#),
        ]
        try Scenario(StoryScenarioTests.users + steps).play(at: depth)
    }

    @Test(arguments: DepthKind.allCases)
    func `the store gives an ID where none was chosen, each another one`(depth: DepthKind) throws {
        try Scenario(
            .says(
                #"POST users {"name":"A","email":"a@example.org","prefecture":1}"#,
                #"+ {"id":"<id:one>","stream":"user-<=one>","version":1,"position":1,"time":"<time>"}"#),
            .says(
                #"POST users {"name":"B","email":"b@example.org","prefecture":1}"#,
                #"+ {"id":"<id:two>","stream":"user-<=two>","version":1,"position":2,"time":"<time>"}"#),
            .says(
                "GET users/<=two>",
                #"+ {"id":"<=two>","version":1,"position":2,"name":"B","email":"b@example.org","prefecture":1,"date":"<time>"}"#
            ),
            .says("LIST users email=A@EXAMPLE.ORG", #"= {"id":"<=one>",<rest>"#, #"+ {"count":1,"position":2}"#)
        ).play(at: depth)
    }
}
