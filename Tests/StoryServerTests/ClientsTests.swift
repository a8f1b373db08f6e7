import Foundation
import LoopSupport
import StoryCore
@testable import StoryServer
import TestSupport
import Testing

/// `CLIENTS`: who is connected, what they did, and how far their subscriptions are.
@Suite struct ClientsTests {
    private let bench = LoopBench()
    private let append = #"APPEND note-1 {"type":"A","data":{}}"#

    private func row(_ client: Int) -> String? {
        bench.ask("CLIENTS \(client)", from: "asking").first { $0.hasPrefix("= ") }
    }

    @Test func `a row a connection by number, with its last verb and what it did`() throws {
        bench.connected("asking", "writer", "reader")
        _ = bench.ask(append, from: "writer")
        _ = bench.ask("GET users/none", from: "writer")
        bench.tick(25)
        let told = bench.ask("CLIENTS", from: "asking")
        expect(told.compactMap { $0.number("client") } == [1, 2, 3])
        expect(told.last?.number("count") == 3 && told.last?.number("position") == 1)
        let writer = told[1]
        expect(writer.hasPrefix(#"= {"client":2,"uid":1000,"pid":1,"role":"admin","since":"20"#))
        expect(writer.contains(#""idle":2.5,"requests":2,"errors":1,"received":"#))
        expect(writer.contains(#""waiting":0,"verb":"GET","subscriptions":[]}"#))
        expect(told[2].contains(#""requests":0,"errors":0,"received":0,"#) && !told[2].contains("verb"))
        expect(bench.ask("CLIENTS 9", from: "asking").map { $0.text("code") } == ["notFound"])
        expect(bench.ask("CLIENTS 0", from: "asking").map { $0.text("code") } == ["invalid"])
        expect(bench.ask("CLIENTS me", from: "asking").map { $0.text("code") } == ["invalid"])
    }

    @Test func `an administrator ends a connection by its number, also the own one`() throws {
        bench.connected("asking", "reader", "writer")
        _ = bench.ask("SUBSCRIBE events", from: "reader")
        expect(bench.ask("@a CLIENTS end 2", from: "asking") == [#"+@a {"ended":2,"position":0}"#])
        expect(bench.hear("reader").last?.hasPrefix(#">1 {"end":"ended","resume":"#) == true)
        expect(bench.isFinished("reader"))
        expect(bench.said("client-ended") == 1)
        expect(bench.ask("CLIENTS end 2", from: "asking").map { $0.text("code") } == ["notFound"])
        for line in ["CLIENTS end", "CLIENTS end 0", "CLIENTS end me", "CLIENTS ends 3"] {
            expect(bench.ask(line, from: "asking").first?.hasPrefix("- ") == true, "\(line)")
        }
        expect(bench.ask("CLIENTS end 1", from: "asking").first == #"+ {"ended":1,"position":0}"#)
        expect(bench.isFinished("asking") && !bench.isFinished("writer"))
    }

    @Test func `each refused line is a request, and a client without one that could be read has no verb`() throws {
        bench.connected("asking", "wrong")
        for line in ["GET users/@", "LIST users sort=none", "GET users/@"] { _ = bench.ask(line, from: "wrong") }
        let wrong = row(2) ?? ""
        expect(wrong.contains(#""requests":3,"errors":3,"#) && !wrong.contains("verb"), "\(wrong)")
        _ = bench.ask("PING", from: "wrong")
        _ = bench.ask("POST users {}", from: "wrong")
        let mixed = row(2) ?? ""
        expect(mixed.contains(#""requests":5,"errors":4,"#) && mixed.contains(#""verb":"#), "\(mixed)")
    }

    @Test func `subscriptions have targets without filters, a phase and a lag`() {
        bench.connected("asking", "writer", "reader")
        for line in [
            "SUBSCRIBE events", "SUBSCRIBE events/note-1", "SUBSCRIBE events/note-* types=B tags=t",
            "SUBSCRIBE users/7",
            "SUBSCRIBE stories sender=007",
        ] { _ = bench.ask(line, from: "reader") }
        _ = bench.ask(append, from: "writer")
        let live = row(3) ?? ""
        let targets = ["events", "events/note-1", "events/note-*", "users/7", "stories"]
        for (index, target) in targets.enumerated() {
            let told =
                #"{"subscription":\#(index + 1),"target":"\#(target)","next":2,"lag":0,"phase":"live"}"#
            expect(live.contains(told), "\(live)")
        }
        bench.setTaking("reader", false)
        for _ in 0..<2_000 { _ = bench.ask(append, from: "writer") }
        let behind = row(3) ?? ""
        expect(behind.contains(#""phase":"behind"}"#), "\(behind)")
        expect(behind.number("waiting") ?? 0 > 0)
        bench.setTaking("reader", true)
        bench.run()
        expect(row(3)?.contains(#""target":"events","next":2002,"lag":0,"phase":"live"}"#) == true)
    }

    @Test func `of many subscriptions the slowest are told, and all of one client that is asked for`() {
        bench.connected("asking", "reader")
        for _ in 0..<40 { _ = bench.ask("SUBSCRIBE events", from: "reader") }
        let all = bench.ask("CLIENTS", from: "asking")[1]
        expect(all.components(separatedBy: #""subscription":"#).count - 1 == 16 && all.number("more") == 24)
        let one = row(2) ?? ""
        expect(one.components(separatedBy: #""subscription":"#).count - 1 == 40 && one.number("more") == nil)
    }

    @Test func `many connections are looked at in steps, and others are answered between them`() {
        let names = (0..<1_000).map { "client \($0)" }
        for name in names { bench.connect(name) }
        bench.run()
        for name in names { _ = bench.hear(name) }
        for request in ["CLIENTS", "METRICS", "STATS"] {
            bench.receive("\(request)\n", from: names[0])
            var turns = 0
            var rows = 0
            while true {
                bench.receive("PING\n", from: names[1])
                bench.endTurn()
                turns += 1
                expect(bench.hear(names[1]).count == 1, "a PING is answered in each turn")
                let heard = bench.hear(names[0])
                rows += heard.count { $0.hasPrefix("=") }
                if heard.last?.hasPrefix("+") == true || turns > 1_000 { break }
            }
            expect(request != "CLIENTS" || turns > 3, "\(turns)")
            expect(request != "CLIENTS" || rows == 1_000)
            expect(turns < 100)
            bench.run()
        }
    }
}
