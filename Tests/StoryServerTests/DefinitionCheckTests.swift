import Foundation
import LoopSupport
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryServer

/// Dry runs of definitions: `DEFINE … check=true`, over a stored log.
struct DefinitionCheckTests {
    private let folder = TemporaryFolder()

    /// A store with three orders.
    private func begun() throws -> StoredLoop {
        let bench = try StoredLoop(folder.store)
        for (order, type, data) in [
            ("1", "Placed", #"{"customer":"c1","total":5,"lines":{"count":1}}"#),
            ("2", "Placed", #"{"customer":"c2","total":7,"lines":{"count":2}}"#),
            ("3", "Placed", #"{"customer":"c1"}"#),
            ("2", "Cancelled", "{}"), ("1", "ItemAdded", #"{"price":1}"#),
        ] {
            let reply = bench.settled(#"APPEND order-\#(order) {"type":"\#(type)","data":\#(data)}"#)
            expect(reply.last?.hasPrefix("+") == true)
        }
        return bench
    }

    private let text =
        #"from order; customer: text; total: number; on Placed { customer = data.customer; total = data.total ?? 0 }"#

    @Test func `without a definition that answers every row is added, and nothing is written`() throws {
        let bench = try begun()
        let lines = bench.settled("DEFINE orders check=true \"\(text)\"")
        expect(
            lines == [
                #"= {"id":"1","before":null,"after":{"customer":"c1","total":5}}"#,
                #"= {"id":"2","before":null,"after":{"customer":"c2","total":7}}"#,
                #"= {"id":"3","before":null,"after":{"customer":"c1","total":0}}"#,
                #"+ {"rows":3,"same":0,"changed":0,"added":3,"removed":0,"misfits":[],"never":[],"hints":[],"position":5}"#,
            ])
        expect(bench.settled("MODELS") == [#"+ {"count":0,"position":5}"#])
        expect(try Files.names(in: folder.store + "/own").isEmpty)
        bench.stop()
    }

    @Test func `rows that would become others, misfits, and names that no event has`() throws {
        let bench = try begun()
        _ = bench.settled("DEFINE orders \"\(text)\"")
        let next = #"""
            from order, oder
            total: number
            n: text?
            on Placed { total = data.total }
            on Canceled { remove }
            on Cancelled { remove }
            on ItemAdded { total += data.prise; n = data.lines.cuont }
            """#
        let quoted = next.replacing("\n", with: "\\n")
        let lines = bench.settled("DEFINE orders check=true \"\(quoted)\"")
        expect(
            lines == [
                #"= {"id":"1","before":{"customer":"c1","total":5},"after":{"total":5}}"#,
                #"= {"id":"2","before":{"customer":"c2","total":7},"after":null}"#,
                #"= {"id":"3","before":{"customer":"c1","total":0},"after":null}"#,
                #"+ {"rows":1,"same":0,"changed":1,"added":0,"removed":2,"#
                    + #""misfits":[{"line":4,"rule":"missing","count":1,"first":3},"#
                    + #"{"line":7,"rule":"missing","count":1,"first":5}],"#
                    + #""never":[{"line":1,"name":"oder","nearest":"order"},"#
                    + #"{"line":5,"name":"Canceled","nearest":"Cancelled"},"#
                    + #"{"line":7,"name":"data.lines.cuont","nearest":"count"},{"line":7,"name":"data.prise","nearest":"price"}],"#
                    + #""hints":[{"line":1,"message":"rows are made of several streams now, so their past goes: GET with "#
                    + #"at=, and the history in browse; the line history keeps it"}],"position":7}"#,
            ])
        // The definition that answers is as it was.
        expect(bench.settled("GET orders/2").last?.contains(#""customer":"c2","total":7}"#) == true)
        expect(try Files.names(in: folder.store + "/own") == ["orders.1"])
        bench.stop()
    }

    @Test func `a receipt has the hints that a dry run has, and none where there are none`() throws {
        let bench = try begun()
        expect(bench.settled("DEFINE orders \"\(text)\"").last?.hasSuffix(#","state":"building"}"#) == true)
        let gathered = text.replacing("from order", with: "from order, cart")
        let hints =
            #","hints":[{"line":1,"message":"rows are made of several streams now, so their past goes: GET with at=, "#
            + #"and the history in browse; the line history keeps it"}]"#
        let check = bench.settled("DEFINE orders check=true \"\(gathered)\"").last ?? ""
        expect(check.contains(hints), "\(check)")
        let receipt = bench.settled("DEFINE orders key=k \"\(gathered)\"").last ?? ""
        expect(receipt.hasSuffix(#","state":"building"\#(hints)}"#), "\(receipt)")
        // The rows of the definition that answers now have no past that could be taken away.
        let again = bench.settled("DEFINE orders key=k \"\(gathered)\"").last ?? ""
        expect(again.contains(#""repeated":true"#) && !again.contains("hints"), "\(again)")
        bench.stop()
    }

    @Test func `equal fields in another order are no change, and limit bounds the rows that are shown`() throws {
        let bench = try begun()
        _ = bench.settled("DEFINE orders \"\(text)\"")
        let other =
            "from order; total: number; customer: text; on Placed { total = data.total ?? 0; customer = data.customer }"
        expect(
            bench.settled("DEFINE orders check=true \"\(other)\"") == [
                #"+ {"rows":3,"same":3,"changed":0,"added":0,"removed":0,"misfits":[],"never":[],"hints":[],"position":7}"#
            ])
        let none = "from order; customer: text; on Placed { customer = 'x' }"
        let lines = bench.settled("DEFINE orders check=true limit=1 \"\(none)\"")
        expect(lines.count == 2 && lines.last?.contains(#""changed":3,"#) == true)
        bench.stop()
    }

    @Test func `events that come meanwhile are not looked at, and the model may be undefined meanwhile`() throws {
        let bench = try begun()
        _ = bench.settled("DEFINE orders \"\(text)\"")
        bench.loop.connected("b")
        bench.loop.send("DEFINE orders check=true \"\(text)\"", from: "b")
        bench.loop.run()
        // The store of the model is written first.
        while bench.held.count > 0, bench.loop.hear("b").isEmpty {
            _ = bench.loop.ask(#"APPEND order-9 {"type":"Placed","data":{"customer":"c9","total":1}}"#, from: "a")
            if bench.held.count == 1 { _ = bench.loop.ask("UNDEFINE orders", from: "a") }
            bench.held.run(0)
            bench.loop.run()
        }
        bench.settle()
        expect(bench.loop.hear("a").allSatisfy { !$0.hasPrefix("!") })
        expect(bench.loop.server.stopReason == nil)
        expect(bench.settled("GET orders/1").last?.text("code") == "unknown")
        expect(try Files.names(in: folder.store + "/own").isEmpty)
        bench.loop.close("b")
        bench.stop()
    }

    @Test func `a dry run ends with its connection`() throws {
        let bench = try begun()
        bench.loop.connected("b")
        bench.loop.send("DEFINE orders check=true \"\(text)\"", from: "b")
        bench.loop.run()
        expect(bench.held.count == 1)
        bench.loop.close("b")
        bench.settle()
        expect(try Files.names(in: folder.store + "/own").isEmpty)
        expect(bench.loop.server.stopReason == nil)
        expect(bench.loop.said("storage-error") == 0, "a client that left is no failure of the disk")
        bench.stop()
    }

    @Test func `options that do not go together name their field`() throws {
        let bench = try begun()
        for (options, field) in [
            ("check=yes", "check"), ("check=true key=k1", "key"), ("limit=5", "limit"), ("check=true limit=0", "limit"),
            ("check=true limit=1001", "limit"),
        ] {
            let reply = bench.settled("DEFINE orders \(options) \"\(text)\"").last ?? ""
            expect(reply.contains(#""code":"invalid""#) && reply.contains(#"{"field":"\#(field)","#), "\(reply)")
        }
        let faults = bench.settled(#"DEFINE orders check=true "from order; n: nmber""#).last ?? ""
        expect(faults.contains(#""field":"1:16""#), "\(faults)")
        bench.stop()
    }
}
