import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// Declared models in the shipped loop over memory: `DEFINE`, the rows, `MODELS`, `UNDEFINE`.
@Suite struct DeclaredModelTests {
    private let bench = LoopBench()
    private static let orders = """
        from order
        customer: text
        total: number = 0
        status: text
        placed: time
        carrier: text?
        index customer
        index status, placed
        sort placed, total
        on Placed {
          customer = data.customer
          total = data.total
          status = 'open'
          placed = event.time
        }
        on ItemAdded { total += data.price }
        on Shipped { status = 'shipped'; carrier = data.carrier }
        on Cancelled { remove }
        """

    init() { bench.connected("ann") }

    private func ask(_ line: String) -> [String] { bench.ask(line, from: "ann") }
    private func answer(_ line: String) -> String { ask(line).last ?? "" }

    private func define(_ name: String = "orders", _ text: String = orders) -> String {
        answer("DEFINE \(name) \(DeclaredModelTests.quoted(text))")
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }

    private func append(_ stream: String, _ type: String, _ data: String) -> String {
        answer(#"APPEND \#(stream) {"type":"\#(type)","data":\#(data)}"#)
    }

    private func ids(_ lines: [String]) -> [String?] { lines.dropLast().map { $0.text("id") } }

    @Test func `a model over events that are there is built, and each later event changes its rows before its plus`() {
        _ = append("order-1", "Placed", #"{"customer":"c1","total":12.5}"#)
        _ = append("order-2", "Placed", #"{"customer":"c2","total":99}"#)
        let defined = define()
        expect(
            defined.hasPrefix(#"+ {"model":"orders","definition":1,"stream":"model-orders","version":1,"position":3,"#))
        expect(defined.hasSuffix(#","state":"building"}"#))
        bench.run()
        expect(
            answer("GET orders/1").hasPrefix(#"+ {"id":"1","changes":1,"position":1,"customer":"c1","total":12.5,"#))
        _ = append("order-1", "ItemAdded", #"{"price":0.1}"#)
        expect(
            answer("GET orders/1").contains(#""changes":2,"position":5,"customer":"c1","total":12.6,"status":"open""#))
        _ = append("order-2", "Cancelled", "{}")
        expect(answer("GET orders/2").text("code") == "notFound")
        expect(answer("COUNT orders") == #"+ {"count":1,"position":6}"#)
        expect(answer("COUNT orders customer=c1").number("count") == 1)
        expect(answer("COUNT orders customer=c2").number("count") == 0)
    }

    @Test func `lists are filtered, sorted and paged`() {
        _ = define()
        bench.run()
        for order in 1...9 {
            _ = append("order-\(order)", "Placed", #"{"customer":"c\#(order % 3)","total":\#(10 - order)}"#)
        }
        _ = append("order-4", "Shipped", "{}")
        expect(ids(ask("LIST orders")) == (1...9).reversed().map { "\($0)" })
        expect(ids(ask("LIST orders order=asc limit=2")) == ["1", "2"])
        expect(ids(ask("LIST orders sort=total order=asc")) == (1...9).reversed().map { "\($0)" })
        expect(ids(ask("LIST orders customer=c1 order=asc")) == ["1", "4", "7"])
        expect(ids(ask("LIST orders status=open customer=c1 order=asc")) == ["1", "7"])
        expect(ids(ask("LIST orders status=shipped")) == ["4"])
        expect(ids(ask("LIST orders total=8")) == ["2"])
        let page = ask("LIST orders sort=placed limit=4")
        let next = page.last?.text("next") ?? ""
        expect(ids(ask(#"LIST orders sort=placed limit=4 after="\#(next)""#)) == ["5", "4", "3", "2"])
        expect(ask("SORTS orders").dropLast().map { $0.text("sort") ?? $0.text("name") }.count == 3)
    }

    @Test func `every fault of a text is told at once, with line and column`() {
        let answer = define("orders", "from order; total: number; on Placed { total = data.total; n = 1 }")
        expect(
            answer
                == #"- {"code":"invalid","message":"1 field is wrong: 1:60","retry":"never","fields":[{"field":"1:60","#
                + #""rule":"noSuch","message":"there is no field n"}]}"#)
        expect(self.answer("MODELS") == #"+ {"count":0,"position":0}"#)
    }

    @Test func `a name is refused that means something else, or is none`() {
        // A replay reports the first ones.
        let names = (Catalogue.standard.models + ["events"]).map { ($0, "notSelected") }
        for (name, rule) in names + [("1a", "malformed"), ("a.b", "malformed")] {
            expect(define(name).contains(#""field":"name","rule":"\#(rule)""#), "\(name)")
        }
        expect(answer("UNDEFINE types").text("code") == "unknown", "a model may have the name from an earlier version")
    }

    @Test func `the same text changes nothing, and a key makes a definition once`() {
        _ = answer("DEFINE orders key=k1 \(DeclaredModelTests.quoted(DeclaredModelTests.orders))")
        bench.run()
        let again = answer("DEFINE orders key=k1 \(DeclaredModelTests.quoted(DeclaredModelTests.orders))")
        expect(again.contains(#""definition":1,"#) && again.contains(#""repeated":true"#))
        let same = define("orders", "// a comment\n" + DeclaredModelTests.orders)
        expect(same.contains(#""changed":false,"state":"ready""#))
        expect(
            answer("DEFINE carts key=k1 \(DeclaredModelTests.quoted(DeclaredModelTests.orders))").text("code")
                == "keyReused")
    }

    @Test func `MODELS tells what is served, and of one model its text, fields, filters and sorts`() {
        _ = define()
        bench.run()
        _ = append("order-1", "Placed", #"{"customer":"c1","total":"x"}"#)
        let line = ask("MODELS").first ?? ""
        expect(line.contains(#""model":"orders","definition":1,"state":"ready","rows":0,"misfits":1,"#))
        let one = ask("MODELS orders").first ?? ""
        expect(one.contains(#"{"name":"carrier","type":"text","optional":true}"#))
        expect(one.contains(#""filters":["customer","total","status","placed","carrier"]"#))
        expect(one.contains(#""sorts":["created","placed","total"]"#))
        expect(answer("MODELS none").text("code") == "unknown")
    }

    @Test func `events that do not fit are kept with their line, rule and statement, and change nothing`() {
        _ = append("order-1", "Placed", #"{"customer":"c1"}"#)
        _ = define()
        bench.run()
        _ = append("order-2", "Placed", #"{"customer":"c2","total":1}"#)
        _ = append("order-2", "ItemAdded", #"{"price":"x"}"#)
        let lines = ask("READ misfits/orders")
        expect(lines.count == 3)
        expect(
            lines[0].hasPrefix(
                #"= {"position":1,"line":12,"rule":"missing","statement":"total = data.total","event":{"#))
        expect(lines[1].contains(#""position":5,"line":16,"rule":"wrongType""#))
        expect(lines[2] == #"+ {"count":2,"total":2,"position":5}"#)
        expect(ask("READ misfits/orders limit=1").last == #"+ {"count":1,"total":2,"next":5,"position":5}"#)
        expect(ask("READ misfits/orders order=desc limit=1").last == #"+ {"count":1,"total":2,"next":1,"position":5}"#)
        expect(answer("GET orders/2").contains(#""total":1,"#))
    }

    @Test func `another definition takes over, and its list begins again`() {
        _ = define()
        bench.run()
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        bench.connected("eve")
        bench.send("SUBSCRIBE orders customer=c1", from: "eve")
        expect(bench.hear("eve").contains { $0.contains(#""row":{"id":"1""#) })
        let second = define("orders", DeclaredModelTests.orders + "\non Marked { status = 'marked' }\n")
        expect(second.contains(#""definition":2,"#))
        bench.run()
        let moved = bench.hear("eve")
        expect(moved.contains { $0.contains(#""again":"#) })
        expect(moved.contains { $0.contains(#""row":{"id":"1""#) })
        _ = append("order-1", "Marked", "{}")
        expect(bench.hear("eve").contains { $0.contains(#""status":"marked""#) })
    }

    @Test func `rows and lists of a model are followed`() {
        _ = define()
        bench.run()
        bench.connected("eve")
        bench.send("SUBSCRIBE orders status=open", "SUBSCRIBE orders/1", from: "eve")
        _ = bench.hear("eve")
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        expect(bench.hear("eve").count == 2)
        _ = append("order-1", "Shipped", #"{"carrier":"Yamato"}"#)
        let lines = bench.hear("eve")
        expect(lines.contains(#">1 {"position":4,"removed":"1"}"#))
        expect(lines.contains { $0.hasPrefix(">2 ") && $0.contains(#""carrier":"Yamato""#) })
    }

    @Test func `an event that changes many rows is pushed whole, though a turn has no room for all of it`() {
        _ = define("lines", "from order; n: number; on Placed { for x in data.l { row x { n += 1 } } }")
        bench.run()
        bench.connected("eve")
        for _ in 1...12 { bench.send("SUBSCRIBE lines", from: "eve") }
        _ = bench.hear("eve")
        let elements = (1...100).map { "\($0)" }.joined(separator: ",")
        for round in 1...2 {
            _ = append("order-1", "Placed", "{\"l\":[\(elements)]}")
            let pushes = bench.hear("eve").filter { $0.contains("\"n\":\(round)}") }
            for number in 1...12 { expect(pushes.count { $0.hasPrefix(">\(number) ") } == 100, "\(round): \(number)") }
        }
    }

    @Test func `a row of one stream is answered as it was, by the definition of now`() {
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        _ = append("order-1", "ItemAdded", #"{"price":1.5}"#)
        _ = append("order-1", "Cancelled", "{}")
        _ = define()
        bench.run()
        expect(answer("GET orders/1 at=1").contains(#""changes":1,"position":1,"customer":"c1","total":5,"#))
        expect(answer("GET orders/1 at=2").contains(#""changes":2,"position":2,"customer":"c1","total":6.5,"#))
        expect(answer("GET orders/1 at=3").text("code") == "notFound")
        expect(answer("GET orders/1/2 at=2").text("code") == "notFound")
        _ = define("spent", "from order; key data.customer; n: number; on Placed { n += 1 }")
        bench.run()
        expect(answer("GET spent/c1").contains(#""n":1"#))
        expect(answer("GET spent/c1 at=2").contains(#""field":"at","rule":"notSelected""#))
    }

    @Test func `with history each row is answered as it was, of whichever streams it is`() {
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        _ = append("order-2", "Placed", #"{"customer":"c1","total":2}"#)
        _ = append("order-2", "Left", #"{"customer":"c1"}"#)
        let text = """
            from order; key data.customer; n: number; spent: number; history
            on Placed { n += 1; spent += data.total }
            on Left { remove }
            """
        _ = define("spent", text)
        bench.run()
        let ended = bench.log.head.value
        _ = append("order-3", "Placed", #"{"customer":"c1","total":7}"#)
        expect(answer("GET spent/c1").contains(#""changes":1,"position":\#(ended + 1),"n":1,"spent":7}"#))
        expect(answer("GET spent/c1 at=1").contains(#""changes":1,"position":1,"n":1,"spent":5}"#))
        expect(answer("GET spent/c1 at=2").contains(#""changes":2,"position":2,"n":2,"spent":7}"#))
        expect(answer("GET spent/c1 at=3").contains(#""message":"there was no spent/c1 at position 3""#))
        expect(answer("GET spent/c1 at=\(ended)").text("code") == "notFound")
        expect(answer("GET spent/c1 at=\(ended + 1)").contains(#""spent":7}"#))
        expect(answer("GET spent/c1 at=\(ended + 2)").contains(#""field":"at","rule":"outOfRange""#))
        expect(answer("GET spent/c2 at=2").text("code") == "notFound")
        expect(answer("GET spent/c at=2").text("code") == "notFound")
        // A change of a turn that is undone is not in the history.
        bench.log.commitFailure = .full("no room")
        expect(append("order-3", "Placed", #"{"customer":"c1","total":7}"#).text("code") == "full")
        bench.tick(11)
        _ = append("order-3", "Other", "{}")
        expect(answer("GET spent/c1 at=\(ended + 2)").contains(#""changes":1,"position":\#(ended + 1),"#))
    }

    @Test func `an undefined model is unknown at once, its subscriptions end, and it may be defined again`() {
        _ = define()
        bench.run()
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        bench.connected("eve")
        bench.send("SUBSCRIBE orders", from: "eve")
        _ = bench.hear("eve")
        expect(answer("UNDEFINE orders").contains(#""model":"orders","stream":"model-orders","version":3"#))
        bench.run()
        expect(answer("GET orders/1").text("code") == "unknown")
        expect(bench.hear("eve").contains { $0.contains(#""end":"undefined""#) })
        expect(bench.modelFolders.stores.isEmpty)
        expect(answer("UNDEFINE orders").text("code") == "unknown")
        expect(define().contains(#""definition":2,"#))
        bench.run()
        expect(answer("GET orders/1").contains(#""total":5,"#))
    }

    @Test func `nobody is told of a definition, or of its end, before that is durable`() {
        bench.connected("eve")
        bench.makeDiskSlow()
        bench.send("DEFINE orders \(DeclaredModelTests.quoted(DeclaredModelTests.orders))", from: "ann")
        bench.send("GET orders/1", from: "eve")
        expect(bench.hear("eve").isEmpty)
        while bench.commits.isRunning { bench.endCommit() }
        expect(bench.hear("eve").first?.text("code") == "busy")
        expect(bench.ask("GET orders/1", from: "eve").first?.text("code") == "notFound")
        bench.send("UNDEFINE orders", from: "ann")
        bench.send("GET orders/1", from: "eve")
        expect(bench.hear("eve").isEmpty)
        while bench.commits.isRunning { bench.endCommit() }
        expect(bench.hear("eve").first?.text("code") == "unknown")
    }

    @Test func `a turn that is undone takes back rows, definitions and activations`() {
        _ = define()
        bench.run()
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        bench.log.commitFailure = .full("no room")
        expect(append("order-1", "ItemAdded", #"{"price":1}"#).text("code") == "full")
        expect(answer("GET orders/1").contains(#""changes":1,"position":3,"#))
        bench.tick(11)
        bench.log.commitFailure = .full("no room")
        expect(answer("UNDEFINE orders").text("code") == "full")
        expect(answer("GET orders/1").contains(#""total":5,"#))
        bench.tick(11)
        bench.log.commitFailure = .full("no room")
        expect(define("orders", DeclaredModelTests.orders + "\n// x\nsort total").text("code") != nil)
    }

    @Test func `only so many models may be defined`() {
        for number in 1...64 { expect(define("m\(number)").contains(#""definition":1,"#)) }
        bench.run()
        expect(define("m65").contains(#""code":"tooLarge""#))
        expect(ask("MODELS").count == 65)
        _ = append("order-1", "Placed", #"{"customer":"c1","total":5}"#)
        for number in 1...64 { expect(answer("GET m\(number)/1").contains(#""total":5"#)) }
    }
}
