import LoopSupport
import StoryCore
import StoryServer
import StoryStorage
import TestSupport
import Testing

/// The end of a declared model, as those hear of it who follow its rows.
struct UndefinedSubscriptionTests {
    private let bench = LoopBench()

    /// A model that kim follows.
    init() {
        bench.connected("ann", "kim")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on Placed { n += 1 }""#, from: "ann")
        bench.run()
        expect(bench.ask("SUBSCRIBE orders", from: "kim").count == 2)
    }

    @Test func `subscriptions end once the end of the model is durable`() {
        bench.makeDiskSlow()
        bench.send("UNDEFINE orders", from: "ann")
        expect(bench.hear("kim").isEmpty)
        while bench.commits.isRunning { bench.endCommit() }
        let ends = bench.hear("kim")
        expect(ends.count == 1 && ends.first?.contains(#"{"end":"undefined","resume":"#) == true, "\(ends)")
    }

    @Test func `where the end of the model is undone, its subscriptions list again and go on`() {
        bench.log.commitFailure = .full("no room")
        expect(bench.ask("UNDEFINE orders", from: "ann").last?.text("code") == "full")
        let heard = bench.hear("kim")
        expect(heard.map { $0.contains("again") || $0.contains("caughtUp") } == [true, true], "\(heard)")
        bench.tick(11)
        _ = bench.ask(#"APPEND order-1 {"type":"Placed","data":{}}"#, from: "ann")
        expect(bench.hear("kim").map { $0.contains(#""n":1"#) } == [true])
    }

    @Test func `where a model is defined again behind its end, the subscriptions end nevertheless`() {
        bench.send("UNDEFINE orders", #"DEFINE orders "from order; n: number; on Placed { n += 2 }""#, from: "ann")
        bench.run()
        expect(bench.hear("kim").map { $0.text("end") } == ["undefined"])
        expect(bench.ask("SUBSCRIBE orders", from: "kim").last?.contains("caughtUp") == true)
    }
}
