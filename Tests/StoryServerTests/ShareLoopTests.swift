import LoopSupport
import StoryCore
import StoryEngine
import StoryFold
import StoryServer
import TestSupport
import Testing

/// Cursors with several shares, waiting for a share, `RESET` and `DROP`, over the shipped loop.
struct ShareLoopTests {
    private let fixture = WorkerBench()
    private var bench: LoopBench { fixture.bench }

    /// Makes the cursor `pairs` with two shares: the first has the odd orders at 1 to 9, the second the even ones.
    init() {
        let made = bench.ask(#"CURSOR pairs {"on":"events/order-*","shares":2,"window":4,"attempts":2}"#, from: "a")
        expect(made.first?.hasPrefix("+") == true, "\(made)")
    }

    private func states() -> [String] { bench.ask("CURSORS pairs", from: "a").dropLast() }

    // MARK: Shares

    @Test(arguments: [
        ("a-1", 1, 2, 1, 33), ("order-1", 1, 3, 7, 55), ("order-2", 1, 3, 5, 29), ("order-3", 1, 2, 5, 13),
        ("order-7", 2, 3, 4, 60), ("order-9", 2, 2, 2, 42), ("order-10", 2, 3, 2, 18), ("invoice-2026", 2, 2, 2, 34),
        ("story-12345", 2, 3, 6, 22), ("customer-A.b_c~d-e", 1, 2, 3, 3),
    ])
    func `a stream is in the share that its name hashes to`(
        stream: String, of2: UInt8, of3: UInt8, of8: UInt8, of64: UInt8
    ) {
        let numbers = [1, 2, 3, 8, 64].map { count in
            Array(stream.utf8).withUnsafeBytes { CursorShare.number(of: $0, among: count) }
        }
        expect(numbers == [1, of2, of3, of8, of64])
    }

    @Test func `each share has the events of its streams, and moves alone`() {
        let one = bench.ask("WORK pairs", from: "w")
        expect(one[0].contains(#""cursor":"pairs","share":1,"shares":2,"at":0"#), "\(one)")
        expect(fixture.delivered(one) == [1, 3, 5, 7])
        let two = bench.ask("WORK pairs", from: "v")
        expect(two[0].contains(#""share":2,"shares":2"#) && fixture.delivered(two) == [2, 4, 6, 8], "\(two)")
        let receipt = bench.ask(#"APPEND out-1 cursor=pairs@4 {"type":"Did","data":1}"#, from: "v")
        expect(receipt.contains { $0.contains(#""cursor":{"share":2,"at":4}"#) }, "\(receipt)")
        expect(fixture.delivered(receipt + bench.hear("v")) == [10])
        expect(bench.ask("READ events/out-1", from: "a").first?.contains(#""cursor":"pairs/2@4""#) == true)
        expect(bench.ask("ACK pairs@3", from: "w").contains { $0.contains(#""share":1,"at":3,"#) })
        let states = states()
        expect(states.count == 2 && states[0].contains(#""share":1,"shares":2"#), "\(states)")
        expect(states[0].contains(#""at":3,"#) && states[1].contains(#""at":4,"#), "\(states)")
        // An event of the other share is not this connection's, and is lost; one of its own that is done is a conflict.
        for (line, code, at) in [("ACK pairs@6", "lost", 4), ("FAIL pairs@5", "", 0)] as [(String, String, UInt64)] {
            let answer = bench.ask(line, from: "w").first { !$0.hasPrefix(">") } ?? ""
            expect(code.isEmpty ? answer.hasPrefix("+") : answer.text("code") == code && answer.number("at") == at)
        }
    }

    @Test func `one connection may hold several shares, and an event tells which is meant`() {
        let one = bench.ask("WORK pairs share=2", from: "w")
        expect(one[0].contains(#""subscription":1,"cursor":"pairs","share":2"#), "\(one)")
        expect(bench.ask("WORK pairs share=2", from: "w").first?.text("code") == "held")
        let two = bench.ask("WORK pairs", from: "w")
        expect(two[0].contains(#""subscription":2,"cursor":"pairs","share":1"#), "\(two)")
        expect(bench.ask("WORK pairs", from: "v").first?.contains("all 2 shares of pairs are held") == true)
        let array = #"APPEND * cursor=pairs@2 [{"stream":"out-1","type":"Did","data":1}]"#
        expect(bench.ask(array, from: "w").contains { $0.contains(#""cursor":{"share":2,"at":2}"#) })
        expect(bench.ask("ACK pairs@1", from: "w").contains { $0.contains(#""share":1,"at":1"#) })
        expect(bench.ask("ACK pairs@1", from: "w").contains { $0.contains(#""changed":false"#) })
        let late = #"APPEND out-2 cursor=pairs@2 {"type":"Did","data":1}"#
        expect(bench.ask(late, from: "w").first { !$0.hasPrefix(">") }?.text("code") == "conflict")
        let told = bench.ask("CLIENTS", from: "a").joined()
        for share in 1...2 { expect(told.contains(#""cursor":"pairs","share":\#(share)"#), "\(told)") }
    }

    @Test func `an event that fails holds up its own share alone, and is parked with its number`() {
        _ = bench.ask("WORK pairs", from: "w")
        _ = bench.ask("WORK pairs", from: "v")
        let failed = bench.ask("FAIL pairs@2 delay=0", from: "v").first ?? ""
        expect(failed.contains(#""share":2,"event":2,"attempt":2"#), "\(failed)")
        expect(fixture.delivered(bench.ask("ACK pairs@7", from: "w") + bench.hear("w")) == [9])
        bench.tick(3)
        expect(fixture.delivered(bench.hear("v")) == [2])
        let parked = bench.ask("FAIL pairs@2 error=no", from: "v").first ?? ""
        expect(parked.contains(#""share":2,"event":2,"parked":true,"at":2"#), "\(parked)")
        expect(bench.ask("PARKED pairs", from: "a").first?.contains(#""event":2,"share":2"#) == true)
        expect(states().map { $0.number("parked") } == [0, 1])
        // It comes again to the holder of its share, and to no other.
        _ = bench.ask("ACK pairs@8", from: "v")
        _ = bench.ask("ACK pairs@10", from: "v")
        bench.run()
        _ = bench.hear("v")
        expect(bench.ask("RETRY pairs", from: "a").first?.contains(#""retrying":1"#) == true)
        _ = bench.ask("ACK pairs@9", from: "w")
        bench.run()
        expect(fixture.delivered(bench.hear("w")) == [])
        expect(fixture.delivered(bench.hear("v")) == [2])
        expect(bench.ask("ACK pairs@2", from: "v").contains { $0.contains(#""share":2,"at":10"#) })
        expect(bench.ask("PARKED pairs", from: "a").count == 1)
    }

    @Test(arguments: [
        ("WORK pairs share=3", "share"), ("WORK pairs share=0", "share"), ("WORK pairs share=65", "share"),
        ("WORK pairs share=x", "share"), ("WORK pairs wait=yes", "wait"), (#"CURSOR c {"shares":65}"#, "shares"),
        (#"CURSOR c {"shares":0}"#, "shares"), ("RESET pairs", "to"), ("RESET pairs to=now", "to"),
        ("RESET pairs to=-1", "to"), ("RESET pairs to=99", "to"), ("RESET pairs to=1.5", "to"),
    ])
    func `a wrong value is named`(line: String, field: String) {
        let answer = bench.ask(line, from: "a").first ?? ""
        expect(answer.text("code") == "invalid" && answer.contains(#""field":"\#(field)""#), "\(answer)")
    }

    @Test func `the number of shares cannot be changed`() {
        let answer = bench.ask(#"CURSOR pairs {"on":"events/order-*","shares":3}"#, from: "a").first ?? ""
        expect(answer.text("code") == "exists" && answer.text("field") == "shares", "\(answer)")
    }

    // MARK: Waiting

    @Test func `one that waits gets the first share that is free, and those before it come first`() {
        bench.connected("x", "y")
        _ = bench.ask("WORK pairs", from: "w")
        _ = bench.ask("WORK pairs", from: "v")
        let first = bench.ask("WORK pairs wait=true", from: "x")
        expect(first[0].contains(#""subscription":1,"cursor":"pairs","shares":2,"waiting":1,"position":"#), "\(first)")
        expect(bench.ask("WORK pairs share=2 wait=true", from: "y")[0].contains(#""waiting":2"#))
        expect(states().map { $0.number("waiting") } == [1, 2])
        expect(bench.ask("CLIENTS", from: "a").joined().contains(#""cursor":"pairs","waiting":true"#))
        expect(bench.ask("ACK pairs@1", from: "x").first?.text("code") == "lost")
        _ = bench.ask("ACK pairs@3", from: "w")
        bench.close("w")
        bench.run()
        bench.tick(2)
        let got = bench.hear("x")
        expect(got.first == #">1 {"share":1,"shares":2,"at":3}"#, "\(got)")
        // Its oldest event counts as failed, since the connection ended while something was not done.
        expect(got.dropFirst().first == #">1 {"again":5,"attempt":2}"# && fixture.delivered(got) == [5], "\(got)")
        expect(bench.hear("y") == [], "it waits for the second one")
        expect(bench.ask("UNSUBSCRIBE 1", from: "v").contains { $0.hasPrefix("+") })
        bench.tick(2)
        let second = bench.hear("y")
        expect(second.first == #">1 {"share":2,"shares":2,"at":0}"#, "\(second)")
        expect(fixture.delivered(second) == [2, 4, 6, 8], "who gives a share back is not blamed: \(second)")
        expect(states().allSatisfy { $0.number("waiting") == nil })
    }

    @Test func `nothing is delivered behind a move that may be undone`() {
        _ = bench.ask("WORK billing", from: "w")
        expect(bench.ask("WORK billing wait=true", from: "v")[0].contains(#""waiting":1"#))
        bench.log.commitFailure = .full("no room")
        _ = bench.ask("ACK billing@2", from: "w")
        bench.tick(12)
        let lines = bench.hear("v")
        expect(lines.first == #">1 {"share":1,"shares":1,"at":0}"#, "\(lines)")
        expect(fixture.delivered(lines).first == 1)
    }

    @Test func `a share that a request has only by an event that is undone is not held`() {
        _ = bench.ask("WORK billing", from: "w")
        _ = bench.ask("UNSUBSCRIBE 1", from: "w")
        bench.connected("x")
        for attempt in 1...3 {
            let name = "dying\(attempt)"
            bench.connected(name)
            expect(bench.ask("WORK billing", from: name).first?.hasPrefix("+") == true)
            bench.close(name)
            if attempt == 3 { bench.log.commitFailure = .full("no room") }
            bench.run()
        }
        // It parks the first event, which cannot be written.
        let refused = bench.ask("WORK billing", from: "x")
        bench.tick(12)
        let lines = refused + bench.hear("x")
        expect(lines.first?.text("code") == "full" && lines.count == 1, "\(lines)")
        let next = bench.ask("WORK billing", from: "x")
        expect(next.first?.contains(#""subscription":2"#) == true, "\(next)")
        expect(fixture.delivered(next + bench.hear("x")).first == 1, "the event was not parked: \(next)")
    }

    @Test func `one that leaves waits no more, and too many are refused`() {
        _ = bench.ask("WORK billing", from: "w")
        let names = (1...64).map { "waiting\($0)" }
        for name in names {
            bench.connected(name)
            expect(bench.ask("WORK billing wait=true", from: name)[0].contains(#""waiting":"#))
        }
        let refused = bench.ask("WORK billing wait=true", from: "v").first ?? ""
        expect(refused.text("code") == "held" && refused.text("retry") == "later", "\(refused)")
        expect(bench.ask("UNSUBSCRIBE 1", from: names[0]).contains { $0.hasPrefix("+") })
        bench.close(names[1])
        bench.run()
        _ = bench.ask("UNSUBSCRIBE 1", from: "w")
        bench.tick(2)
        expect(bench.hear(names[2]).first?.contains(#"{"share":1,"#) == true)
        expect(bench.hear(names[3]) == [])
    }

    // MARK: Reset and drop

    @Test func `a reset has all shares begin anew, and forgets what is parked behind its position`() {
        _ = bench.ask("WORK pairs", from: "w")
        expect(bench.ask("RESET pairs to=start", from: "a").first?.text("code") == "held")
        _ = bench.ask("FAIL pairs@1 park=true", from: "w")
        bench.run()
        _ = bench.ask("FAIL pairs@3 park=true", from: "w")
        _ = bench.ask("UNSUBSCRIBE 1", from: "w")
        let answer = bench.ask("RESET pairs to=2", from: "a").first ?? ""
        expect(answer.contains(#"{"id":"pairs","stream":"cursor-pairs","version":"#), "\(answer)")
        expect(states().map { $0.number("at") } == [2, 2] && states().map { $0.number("parked") } == [1, 0])
        expect(bench.ask("PARKED pairs", from: "a").count == 2)
        bench.run()
        expect(fixture.delivered(bench.ask("WORK pairs share=1", from: "w")) == [3, 5, 7, 9])
        _ = bench.ask("UNSUBSCRIBE 2", from: "w")
        expect(bench.ask("RESET pairs to=end", from: "a").first?.hasPrefix("+") == true)
        bench.run()
        let head = bench.ask("RESET pairs to=start", from: "a").first ?? ""
        expect(head.hasPrefix("+"), "\(head)")
        bench.run()
        expect(fixture.delivered(bench.ask("WORK pairs share=2", from: "v")) == [2, 4, 6, 8])
        expect(bench.ask("RESET nothing to=1", from: "a").first?.text("code") == "notFound")
    }

    @Test func `a cursor that is dropped is gone, and its name is not used again`() {
        _ = bench.ask("WORK billing", from: "w")
        _ = bench.ask("WORK billing wait=true", from: "v")
        expect(bench.ask("DROP billing", from: "a").first?.text("code") == "held")
        _ = bench.ask("FAIL billing@1 park=true", from: "w")
        _ = bench.ask("UNSUBSCRIBE 1", from: "w")
        // The one that waits would get it with the next tick.
        let answer = bench.ask("DROP billing", from: "a").first ?? ""
        expect(answer.contains(#""id":"billing","stream":"cursor-billing""#), "\(answer)")
        bench.tick(2)
        expect(bench.hear("v").last?.contains(#"{"end":"dropped","resume":"#) == true)
        for line in [
            "WORK billing", "ACK billing@1", "PARKED billing", "CURSORS billing", "RESET billing to=1", "DROP billing",
        ] {
            let refused = bench.ask(line, from: "a").first ?? ""
            expect(refused.text("code") == "gone", "\(line): \(refused)")
        }
        let again = bench.ask("CURSOR billing", from: "a").first ?? ""
        expect(again.text("code") == "exists" && again.text("field") == "name", "\(again)")
        expect(bench.ask("CURSORS", from: "a").count == 3, "the two shares of the other one")
    }

    @Test(arguments: ["RESET once to=start", "DROP once"])
    func `a worker that is lost just before a reset or a drop has failed at nothing`(line: String) {
        _ = bench.ask(#"CURSOR once {"on":"events/order-*","attempts":1}"#, from: "a")
        expect(fixture.delivered(bench.ask("WORK once", from: "w")).first == 1)
        bench.close("w")
        expect(bench.ask(line, from: "a").first?.hasPrefix("+") == true)
        bench.tick(12)
        let next = bench.ask("WORK once", from: "v")
        if line.hasPrefix("DROP") {
            expect(next.first?.text("code") == "gone", "\(next)")
        } else {
            expect(next.count > 1 && !next.contains { $0.contains(#"{"again":"#) }, "\(next)")
            expect(fixture.delivered(next).first == 1, "it was not parked: \(next)")
        }
    }
}
