import LoopSupport
import StoryCore
import StoryStorage
import TestSupport
import Testing

/// The next definition of a model that kim follows, while the commit of the event that activates it is on its way.
struct UndurableDefinitionTests {
    private let bench = LoopBench()
    private static let requests = ["SORTS orders", "HELP LIST", "READ misfits/orders", "SUBSCRIBE orders"]

    init() {
        bench.connected("ann", "kim", "eve")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on Placed { n += 1 }""#, from: "ann")
        bench.run()
        _ = bench.ask(#"APPEND order-1 {"type":"Placed","data":{}}"#, from: "ann")
        expect(bench.ask("SUBSCRIBE orders", from: "kim").count == 3)
        bench.makeDiskSlow()
        bench.send(#"DEFINE orders "from order; n: number; sort n; on Placed { n += 10 }""#, from: "ann")
    }

    /// The commit of the definition ends; that of its activation is on its way, and fails where that is wished.
    private func activate(failing isFailing: Bool = false) {
        if isFailing { bench.log.commitFailure = .full("no room") }
        bench.endCommit()
        expect(bench.commits.isRunning && bench.log.head == bench.log.committed.next)
        expect(bench.said("model-ready") == 2)
    }

    private func endCommits() { while bench.commits.isRunning { bench.endCommit() } }

    @Test func `a list is shown by the next definition once its activation is durable`() {
        activate()
        expect(bench.hear("kim") == [])
        let activated = bench.log.head.value
        endCommits()
        let heard = bench.hear("kim")
        expect(heard.first == ">1 {\"again\":\(activated)}" && heard.last == ">1 {\"caughtUp\":\(activated)}")
        expect(heard.count == 3 && heard[1].contains(#""n":10"#), "\(heard)")
    }

    @Test func `changes by the next definition are pushed with its list, not before`() {
        activate()
        bench.send(#"APPEND order-2 {"type":"Placed","data":{}}"#, from: "ann")
        expect(bench.hear("kim") == [])
        bench.endCommit()
        expect(bench.hear("kim").filter { $0.contains("row") }.map { $0.contains(#""id":"1""#) } == [true])
        endCommits()
        expect(bench.hear("kim").filter { $0.contains("row") }.map { $0.contains(#""n":10"#) } == [true])
    }

    @Test func `where the activation is undone nobody has seen a row of it, and the list is told as it is`() {
        activate(failing: true)
        bench.endCommit()
        expect(bench.log.head == bench.log.committed)
        let heard = bench.hear("kim")
        let rows = heard.filter { $0.contains("row") }
        expect(rows.count == 1 && rows[0].contains(#""n":1}"#), "\(heard)")
        expect(heard.first?.contains("again") == true && heard.last?.contains("caughtUp") == true, "\(heard)")
        // There is room again, and the next definition takes over.
        bench.tick(11)
        endCommits()
        expect(bench.hear("kim").filter { $0.contains("row") }.map { $0.contains(#""n":10"#) } == [true])
    }

    @Test func `the client list has the subscription, which is held`() {
        activate()
        bench.send("CLIENTS", from: "eve")
        endCommits()
        let held = bench.hear("eve").first { $0.contains(#""target":"orders""#) }
        expect(held?.contains(#""phase":"held""#) == true)
    }

    @Test(arguments: requests)
    func `requests about definitions wait for the activation`(request: String) {
        activate()
        bench.send(request, from: "eve")
        expect(bench.hear("eve") == [])
        endCommits()
        let heard = bench.hear("eve").joined()
        switch request {
        case "SORTS orders": expect(heard.contains(#""n""#))
        case "SUBSCRIBE orders": expect(heard.contains(#""n":10"#))
        default: expect(heard.contains("+ "))
        }
    }

    @Test(arguments: requests)
    func `where the activation is undone, they are answered by the definition before`(request: String) {
        activate(failing: true)
        bench.send(request, from: "eve")
        bench.endCommit()
        bench.run()
        let heard = bench.hear("eve").joined()
        expect(!heard.isEmpty && !heard.contains(#""full""#) && !heard.contains(#""n":10"#))
        if request == "SORTS orders" { expect(!heard.contains(#""n""#)) }
        if request == "SUBSCRIBE orders" { expect(heard.contains(#""n":1}"#)) }
    }

    @Test func `a filter that only the next definition lacks is refused once that is durable`() {
        bench.send(#"DEFINE orders "from order; m: number; on Placed { m += 1 }""#, from: "ann")
        bench.endCommit()
        bench.endCommit()
        expect(bench.commits.isRunning && bench.said("model-ready") == 2)
        bench.send("LIST orders n=1", from: "eve")
        expect(bench.hear("eve") == [])
        endCommits()
        expect(bench.hear("eve").last?.text("code") == "unknown")
    }
}

/// Events that do not fit a model, and may be undone.
struct UndurableMisfitTests {
    private let bench = LoopBench()
    private static let text = String(repeating: "x", count: 60_000)

    private func append(_ count: Int) {
        for _ in 0..<count {
            bench.send(
                "APPEND order-1 {\"type\":\"Placed\",\"data\":{\"n\":\"\(UndurableMisfitTests.text)\"}}", from: "ann")
        }
    }

    init() {
        bench.connected("ann", "eve")
        _ = bench.ask(#"DEFINE orders "from order; n: number; on Placed { n = data.n }""#, from: "ann")
        bench.run()
        append(2)
        bench.makeDiskSlow()
        append(20)
    }

    @Test(arguments: ["asc", "desc"])
    func `a page of misfits has durable events alone, however many steps it takes`(order: String) {
        let durable = bench.log.committed.value
        bench.send("READ misfits/orders limit=50 order=\(order)", from: "eve")
        expect(bench.commits.isRunning && bench.log.head.value > durable)
        while bench.commits.isRunning {
            let pushed = bench.hear("eve").filter { $0.hasPrefix("=") }.compactMap { $0.number("position") }
            expect(pushed.allSatisfy { $0 <= durable }, "\(pushed)")
            bench.endCommit()
        }
        let end = bench.hear("eve").last
        expect(end?.number("count") == 2 && end?.number("total") == 22, "\(end ?? "")")
    }

    @Test func `a page of misfits ends where the model ends`() {
        while bench.commits.isRunning { bench.endCommit() }
        bench.setTaking("eve", false)
        bench.send("READ misfits/orders limit=50", from: "eve")
        bench.send("UNDEFINE orders", from: "ann")
        while bench.commits.isRunning { bench.endCommit() }
        bench.setTaking("eve", true)
        bench.run()
        let heard = bench.hear("eve")
        expect(heard.count < 22 && heard.last?.text("code") == "unknown", "\(heard.count)")
    }
}
