import LoopSupport
import StoryCore
import StoryEngine
import StoryServer
import TestSupport
import Testing

/// Workers and their events, over the shipped loop.
struct WorkerLoopTests {
    private let fixture = WorkerBench()
    private var bench: LoopBench { fixture.bench }

    // MARK: Delivery

    @Test func `a worker gets a window of events, and more once some are done`() {
        let lines = fixture.work("w")
        expect(lines[0] == #"+ {"subscription":1,"cursor":"billing","share":1,"shares":1,"at":0,"position":13}"#)
        expect(fixture.delivered(lines) == [1, 2, 3, 4])
        expect(
            fixture.state().contains(#""state":"full""#)
                && fixture.state().contains(#""outstanding":4,"oldest":{"event":1,"#))
        let receipt = fixture.output(2, from: "w")
        expect(receipt.reply.contains(#""cursor":{"share":1,"at":2}"#), "\(receipt)")
        expect(receipt.delivered == [5, 6])
        let done = bench.ask("ACK billing@6", from: "w")
        expect(done.contains { $0.contains(#""share":1,"at":6,"position":15}"#) }, "\(done)")
        expect(fixture.delivered(done + bench.hear("w")) == [7, 8, 9, 10])
        let event = bench.ask("READ events/invoice-1", from: "a").first ?? ""
        expect(
            event.contains(#""by":1000,"cursor":"billing/1@2","data""#) || event.contains(#""cursor":"billing/1@2""#))
        expect(fixture.state().contains(#""at":6,"#))
    }

    @Test func `events that come later are delivered as they are durable, and those of cursors are not`() {
        _ = fixture.work("w")
        _ = bench.ask("ACK billing@4", from: "w")
        _ = bench.ask("ACK billing@8", from: "w")
        _ = bench.ask("ACK billing@10", from: "w")
        _ = bench.hear("w")
        expect(fixture.state().contains(#""lag":0,"state":"idle""#), "\(fixture.state())")
        _ = bench.ask(#"APPEND order-1 {"type":"Placed","data":{"n":11}}"#, from: "a")
        expect(fixture.delivered(bench.hear("w")) == [17])
        expect(bench.ask(#"CURSOR all {"from":"end"}"#, from: "a").first?.hasPrefix("+") == true)
        let lines = bench.ask("WORK all", from: "v")
        expect(fixture.delivered(lines) == [], "\(lines)")
        _ = bench.ask("ACK billing@17", from: "w")
        _ = bench.ask(#"APPEND note-1 {"type":"Wrote","data":{}}"#, from: "a")
        expect(fixture.delivered(bench.hear("v")) == [20])
    }

    @Test func `a cursor has one holder, and is free once its connection ends`() {
        _ = fixture.work("w")
        let refused = bench.ask("WORK billing", from: "v").first ?? ""
        expect(refused.text("code") == "held" && refused.text("retry") == "later", "\(refused)")
        expect(refused.contains(#""holder":{"uid":"#) && refused.contains(#""since":""#))
        bench.close("w")
        bench.run()
        expect(fixture.delivered(fixture.work("v")).first == 1)
        expect(bench.ask("UNSUBSCRIBE 1", from: "v").contains { $0.contains(#""resume":1"#) })
        expect(fixture.delivered(bench.ask("WORK billing", from: "a")).first == 1)
    }

    @Test func `a write of a connection that does not hold the cursor is lost, and leaves no trace`() {
        _ = fixture.work("w")
        for line in [
            #"APPEND invoice-1 cursor=billing@1 {"type":"Billed","data":{}}"#, "ACK billing@1", "FAIL billing@1",
            #"APPEND * cursor=billing@1 [{"stream":"invoice-2","type":"Billed","data":{}}]"#,
        ] {
            let refused = bench.ask(line, from: "v").first ?? ""
            expect(refused.text("code") == "lost" && refused.number("at") == 0, "\(refused)")
        }
        expect(bench.log.head == Position(13))
    }

    @Test(arguments: [
        ("cursor=billing@1", "conflict", #""cursor":"billing","at":4"#), ("cursor=billing@9", "conflict", "delivered"),
        ("cursor=billing@99", "invalid", "cursor"), ("cursor=nothing@1", "notFound", "CURSOR nothing"),
        ("cursor=billing", "invalid", "cursor"), ("cursor=billing@x", "invalid", "cursor"),
        ("cursor=billing@0", "invalid", "cursor"),
    ])
    func `an event that cannot be done now is refused`(option: String, code: String, word: String) {
        _ = fixture.work("w")
        _ = bench.ask("ACK billing@4", from: "w")
        let head = bench.log.head
        let refused = bench.ask(#"APPEND invoice-1 \#(option) {"type":"Billed","data":{}}"#, from: "w")
        let line = refused.first { $0.hasPrefix("-") } ?? ""
        expect(line.text("code") == code && line.contains(word), "\(line)")
        expect(bench.log.head == head)
    }

    @Test func `other preconditions come first, and a repeated key does not look at the cursor`() {
        _ = fixture.work("w")
        let line = #"APPEND invoice-1 version=7 cursor=billing@9 {"type":"Billed","data":{}}"#
        expect(bench.ask(line, from: "w").first?.number("expected") == 7)
        let keyed = #"APPEND invoice-1 key=k cursor=billing@1 {"type":"Billed","data":{}}"#
        let first = bench.ask(keyed, from: "w").first ?? ""
        expect(first.contains(#""cursor":{"share":1,"at":1}"#), "\(first)")
        let again = bench.ask(keyed, from: "w").first { !$0.hasPrefix(">") } ?? ""
        expect(again.contains(#""repeated":true"#) && !again.contains("cursor"), "\(again)")
    }

    @Test func `a write that changes nothing moves the cursor all the same, and one array moves it once`() {
        for id in ["1", "2"] {
            _ = bench.ask(
                #"POST users {"id":"\#(id)","name":"Ann","email":"a\#(id)@b.c","prefecture":"13","birthday":"1990-01-01"}"#,
                from: "a")
        }
        let kinds = bench.ask("MODELS users", from: "a")
        expect(kinds.count == 2, "\(kinds)")
        _ = fixture.work("w")
        let lines = [
            #"APPEND * cursor=billing@1 [{"stream":"invoice-1","type":"Billed","data":1},{"stream":"invoice-2","type":"Billed","data":2}]"#
        ]
        let answer = bench.ask(lines[0], from: "w")
        let closing = answer.first { $0.hasPrefix("+") } ?? ""
        expect(closing.contains(#""count":2"#) && closing.contains(#""cursor":{"share":1,"at":1}"#), "\(answer)")
        let moves = bench.ask("READ events/invoice-*", from: "a").count { $0.contains(#""cursor":"billing/1@1""#) }
        expect(moves == 1)
    }

    // MARK: Failures

    @Test func `an event that failed comes again alone after a delay, and is parked in the end`() {
        _ = fixture.work("w")
        let failed = bench.ask(#"FAIL billing@1 delay=300 error="no customer""#, from: "w").first ?? ""
        expect(failed == #"+ {"cursor":"billing","share":1,"event":1,"attempt":2,"delay":300}"#)
        expect(fixture.state().contains(#""state":"backoff""#))
        bench.tick(2)
        expect(bench.hear("w") == [])
        bench.tick(4)
        let again = bench.hear("w")
        expect(again.first == #">1 {"again":1,"attempt":2}"# && fixture.delivered(again) == [1], "\(again)")
        expect(fixture.state().contains(#""oldest":{"event":1,"attempt":2}"#))
        // Nothing else is done before it.
        expect(bench.ask("FAIL billing@2", from: "w").first?.text("code") == "conflict")
        expect(bench.ask("FAIL billing@1 delay=0", from: "w").first?.contains(#""attempt":3"#) == true)
        bench.tick(3)
        expect(fixture.delivered(bench.hear("w")) == [1])
        let parked = bench.ask(#"FAIL billing@1 error="never""#, from: "w")
        expect(parked.first?.contains(#""event":1,"parked":true,"at":1,"position":14}"#) == true, "\(parked)")
        expect(fixture.delivered(parked + bench.hear("w")) == [2, 3, 4, 5])
        let rows = bench.ask("PARKED billing", from: "a")
        expect(
            rows.count == 2 && rows[0].contains(#""event":1,"share":1,"stream":"order-1","type":"Placed","attempts":3"#)
        )
        expect(rows[0].contains(#""error":"never","since":""#) && rows[0].contains(#""retrying":false"#), "\(rows)")
    }

    @Test func `the events behind one that failed are delivered anew`() {
        _ = fixture.work("w")
        _ = bench.ask("FAIL billing@1 park=true", from: "w")
        bench.run()
        _ = bench.hear("w")
        expect(bench.ask("FAIL billing@2 delay=0", from: "w").first?.hasPrefix("+") == true)
        bench.tick(3)
        expect(fixture.delivered(bench.hear("w")) == [2])
        let done = bench.ask("ACK billing@2", from: "w")
        expect(fixture.delivered(done + bench.hear("w")) == [3, 4, 5, 6])
    }

    @Test func `a worker that ends is blamed for its oldest event, and after some attempts the store parks that`() {
        for attempt in 1...3 {
            let name = "worker\(attempt)"
            bench.connected(name)
            let lines = fixture.work(name)
            expect(fixture.delivered(lines) == (attempt == 1 ? [1, 2, 3, 4] : [1]), "\(lines)")
            if attempt > 1 { expect(lines.contains(#">1 {"again":1,"attempt":\#(attempt)}"#)) }
            bench.close(name)
            bench.run()
        }
        bench.tick(2)
        expect(bench.ask("PARKED billing", from: "a").first?.contains(#""event":1,"#) == true)
        expect(fixture.delivered(fixture.work("w")) == [2, 3, 4, 5])
        expect(bench.ask("UNSUBSCRIBE 1", from: "w").contains { $0.contains(#""resume":2"#) })
        expect(fixture.delivered(fixture.work("v")) == [2, 3, 4, 5], "who gives the cursor back is not blamed")
    }

    @Test func `a lease runs while something is not done and nothing is heard`() {
        _ = bench.ask(#"CURSOR billing {"on":"events/order-*","window":4,"attempts":3,"lease":1000}"#, from: "a")
        _ = fixture.work("w")
        bench.tick(9)
        expect(bench.ask("PING", from: "w").first?.hasPrefix("+") == true)
        bench.tick(9)
        expect(bench.hear("w") == [])
        bench.tick(5)
        expect(bench.hear("w") == [#">1 {"end":"lease","resume":1}"#])
        expect(bench.ask("ACK billing@1", from: "w").first?.text("code") == "lost")
        let next = fixture.work("v")
        expect(next.contains(#">1 {"again":1,"attempt":2}"#) && fixture.delivered(next) == [1], "\(next)")
        _ = bench.ask("ACK billing@1", from: "v")
        _ = bench.ask("ACK billing@5", from: "v")
        _ = bench.ask("ACK billing@9", from: "v")
        _ = bench.ask("ACK billing@10", from: "v")
        _ = bench.hear("v")
        bench.tick(100)
        expect(bench.hear("v") == [], "an idle holder holds for ever")
    }

    // MARK: Parked events

    @Test func `a parked event comes once more, alone, and is done by its own name`() {
        _ = fixture.work("w")
        _ = bench.ask("FAIL billing@1 park=true", from: "w")
        _ = bench.ask("ACK billing@3", from: "w")
        bench.run()
        _ = bench.hear("w")
        expect(bench.ask("RETRY billing@2", from: "a").first?.text("code") == "notFound")
        expect(bench.ask("RETRY billing@1", from: "a").first?.contains(#""retrying":1"#) == true)
        expect(bench.hear("w") == [], "others are not done")
        let done = bench.ask("ACK billing@7", from: "w")
        let again = done + bench.hear("w")
        expect(
            again.contains(#">1 {"again":1,"attempt":1,"parked":true}"#) && fixture.delivered(again) == [1], "\(again)")
        let receipt = fixture.output(1, from: "w")
        expect(receipt.reply.contains(#""cursor":{"share":1,"at":7}"#), "\(receipt)")
        expect(receipt.delivered == [8, 9, 10])
        expect(bench.ask("PARKED billing", from: "a").count == 1)
        expect(fixture.output(1, from: "w").reply.text("code") == "conflict")
    }

    @Test func `a cursor with as many parked events as it may have says so, and a refused FAIL is no attempt`() {
        let most = ParkedEvent.most
        for first in stride(from: 0, to: most, by: 1_000) {
            let events = (first..<first + 1_000).map { #"{"type":"Placed","data":{"n":\#($0)}}"# }
            _ = bench.ask("APPEND order-7 [\(events.joined(separator: ","))]", from: "a")
        }
        _ = bench.ask("DROP billing", from: "a")
        _ = bench.ask(#"CURSOR many {"on":"events/order-7","attempts":2,"window":1}"#, from: "a")
        _ = bench.ask(#"APPEND order-7 {"type":"Placed","data":{}}"#, from: "a")
        _ = bench.ask("WORK many", from: "w")
        for number in 0..<most {
            _ = bench.ask("FAIL many@\(13 + 1 + number) park=true", from: "w")
        }
        func state() -> String { bench.ask("CURSORS many", from: "a").first ?? "" }
        expect(state().contains(#""state":"parkedLimit""#) && state().contains(#""parked":10000,"#), "\(state())")
        let last = 13 + most + 3
        for _ in 0..<3 {
            let refused = bench.ask("FAIL many@\(last) park=true", from: "w").first { $0.hasPrefix("-") } ?? ""
            expect(refused.text("code") == "full", "\(refused)")
        }
        let failed = bench.ask("FAIL many@\(last)", from: "w").first ?? ""
        expect(failed.number("attempt") == 2, "\(failed)")
        bench.close("w")
        bench.run()
        expect(state().contains(#""state":"parkedLimit""#), "\(state())")
    }

    @Test func `a parked event that is given up before it comes again does not come`() {
        _ = fixture.work("w")
        _ = bench.ask("FAIL billing@1 park=true", from: "w")
        bench.run()
        _ = bench.hear("w")
        _ = bench.ask("RETRY billing@1", from: "a")
        expect(bench.hear("w") == [], "others are not done")
        expect(bench.ask("DISCARD billing@1 reason=old", from: "a").first?.contains(#""event":1"#) == true)
        let behind = bench.ask("ACK billing@5", from: "w") + bench.hear("w")
        expect(fixture.delivered(behind) == [6, 7, 8, 9] && !behind.joined().contains("again"), "\(behind)")
        expect(fixture.output(1, from: "w").reply.text("code") == "conflict")
    }

    @Test func `a parked event whose worker ends is parked again, and keeps its error`() {
        _ = fixture.work("w")
        _ = bench.ask("FAIL billing@1 park=true error=why", from: "w")
        for done in [3, 7, 10] {
            _ = bench.ask("ACK billing@\(done)", from: "w")
            bench.run()
        }
        _ = bench.hear("w")
        let again = bench.ask("RETRY billing@1", from: "a") + bench.hear("w")
        expect(fixture.delivered(again) == [1], "also where nothing else happens: \(again)")
        bench.close("w")
        bench.run()
        bench.tick(2)
        let parked = bench.ask("PARKED billing", from: "a").first ?? ""
        expect(parked.contains(#""attempts":2,"error":"why""#) && parked.contains(#""retrying":false"#), "\(parked)")
    }

    @Test func `a parked event that fails again is parked at once, and one that is discarded is gone`() {
        _ = fixture.work("w")
        _ = bench.ask("FAIL billing@1 park=true", from: "w")
        _ = bench.ask("ACK billing@5", from: "w")
        _ = bench.ask("RETRY billing", from: "a")
        bench.run()
        _ = bench.hear("w")
        _ = bench.ask("ACK billing@9", from: "w")
        bench.run()
        _ = bench.hear("w")
        let failed = bench.ask("FAIL billing@1", from: "w").first ?? ""
        expect(failed.contains(#""parked":true,"at":9"#), "\(failed)")
        expect(bench.ask("PARKED billing", from: "a").first?.contains(#""attempts":2"#) == true)
        expect(bench.ask("DISCARD billing@1", from: "a").first?.text("code") == "invalid")
        expect(bench.ask("DISCARD billing@1 reason=old", from: "a").first?.contains(#""event":1"#) == true)
        expect(bench.ask("PARKED billing", from: "a").count == 1)
        expect(bench.ask("RETRY billing", from: "a").first?.text("code") == "notFound")
    }
}
