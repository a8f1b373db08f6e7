import Foundation
import TestSupport
import Testing

@testable import StoryBrowser
@testable import StoryClient

/// The screens of declared models, without a store.
@Suite struct ModelTests {
    @Test func `a model's rows have the columns that the store describes`() throws {
        var driven = Driven(start: .rows(of: "orders"))
        expect(driven.lines[3] == "  …")
        driven.hand(.described(ModelRows(try Fixtures.model(misfits: 3))))
        let request = try driven.takeListRequest()
        expect(request.query.sort.rawValue == "created" && request.query.order == .descending)
        let rows = [try Fixtures.order("8", total: "100"), try Fixtures.order("7", total: "123456789012345.678")]
        driven.hand(.list(.loaded(request, Page(rows: rows, next: nil, position: 9))))
        let expected = [
            " orders                                                                       …",
            "all · by created, descending · of 2 rows, 3 misfits",
            "  id customer total               placed (UTC)        carrier",
            "▸ 8  c1       100                 2026-11-27 06:44:00 –",
            "  7  c1       123456789012345.678 2026-11-27 06:44:00 –",
        ]
        expect(Array(driven.lines[0..<5]) == expected, "\(driven.lines[0..<5])")
        expect(
            driven.lines[23] == " ↑↓ move  Enter open  d definition  m misfits  / filter  s sort  ? help  q quit",
            "\(driven.lines[23])")
        driven.press(.down, .enter)
        driven.hand(.page(.changed([.row(rows[1], position: 1)])))
        expect(driven.lines[0].hasPrefix(" orders › orders/7 "))
        expect(driven.lines[3] == "total         123456789012345.678", "every digit is there")
        expect(driven.lines[4] == "placed        2026-11-27 06:44:00.123 UTC")
    }

    @Test func `what is counted changes what is told, and another definition asks for the rows again`() throws {
        var driven = try Driven.orders(Fixtures.model(), [Fixtures.order("7")])
        _ = driven.takeCommands()
        driven.hand(.described(ModelRows(try Fixtures.model(rows: 3))))
        expect(driven.takeCommands().isEmpty && driven.lines[1].hasSuffix("of 3 rows"))
        expect(driven.lines[3].hasPrefix("▸ 7 "))
        let text = Fixtures.orders.replacingOccurrences(of: "total = data.total; ", with: "")
        driven.hand(.described(ModelRows(try Fixtures.model(text, definition: 2))))
        expect(try driven.takeListRequest().part == .whole && driven.lines[3] == "  …")
    }

    @Test func `a model that is being built says how far that is, and is looked at until it is ready`() throws {
        let build = #"{"definition":1,"position":90000,"of":200000}"#
        let model = try Fixtures.model(state: "building", rows: 0, building: build)
        var driven = try Driven.orders(model, [])
        expect(driven.lines[3] == "  orders is being built: 45 %, 90000 of 200000 events")
        expect(driven.followed == [AnySubscription(.anything(.every(.milliseconds(500))), of: ModelRows("orders"))])
        driven.hand(.described(ModelRows(try Fixtures.model(rows: 0, misfits: 2))))
        let request = try driven.takeListRequest()
        driven.hand(.list(.loaded(request, Page(rows: [], next: nil, position: 9))))
        let expected = [
            "  no rows here: orders is made of streams of order; 2 events did not fit, m",
            "  shows them; d shows the definition, 6 the streams, 7 the log",
        ]
        expect(Array(driven.lines[3...4]) == expected, "\(driven.lines[3...4])")
        expect(driven.followed == [AnySubscription(.anything(.events(.all)), of: ModelRows("orders"))])
        let next = #"{"definition":2,"position":9,"of":10}"#
        driven.hand(.described(ModelRows(try Fixtures.model(building: next))))
        expect(driven.lines[1].hasSuffix("of 2 rows · definition 2 is being built: 90 %, 9…"), "\(driven.lines[1])")
        let taken = #"{"definition":2,"position":0,"of":10,"rows":1}"#
        expect(try Fixtures.model(building: taken).sentence == "definition 2 is being built: rows taken over: 1")
    }

    @Test func `a row of one stream has its past, and a key to the stream`() throws {
        var driven = try Driven.orders(Fixtures.model(), [Fixtures.order("7")])
        _ = driven.takeCommands()
        driven.press(.enter)
        expect(
            driven.followed.sorted { "\($0)" < "\($1)" } == [
                AnySubscription(.row(id: "7"), of: ModelRows("orders")),
                AnySubscription(.stream("order-7"), of: ModelRows("orders")),
            ])
        let command = try require(driven.takeCommands().last)
        guard case .history("7", nil)? = command.command as? ScreenCommand<ModelRows> else {
            throw Driven.NoSuchScreen()
        }
        expect(command.kind.stream(of: "7") == "order-7")
        let lines = (1...3).map { number in
            HistoryLine(
                version: number, position: number * 10, type: "Placed", time: Date(timeIntervalSince1970: 0),
                data: "{}")
        }
        driven.hand(.page(.changed([.row(try Fixtures.order("7", changes: 2, position: 20), position: 20)])))
        driven.hand(.page(.history(lines, isNewest: true)))
        expect(driven.lines[21].hasSuffix(" 3/3"), "an event that left the row as it was is there too")
        driven.press(.left)
        guard case .past("7", 2)? = driven.takeLastCommand(of: ModelRows.self) else { throw Driven.NoSuchScreen() }
        driven.hand(.page(.past(version: 2, .row(try Fixtures.order("7", total: "1")))))
        expect(
            driven.lines[3] == "total         1" && driven.lines[1].hasPrefix("as it was at version 2, position 20"))
        driven.type("o")
        expect(driven.lines[0].hasPrefix(" orders › orders/7 › order-7 "))
    }

    @Test func `a row of several streams has no past, unless every row is kept as it was`() throws {
        let text = Fixtures.orders.replacingOccurrences(of: "from order", with: "from order\nkey data.customer")
        var driven = try Driven.orders(Fixtures.model(text, category: nil), [Fixtures.order("c1")])
        driven.press(.enter)
        driven.hand(.page(.changed([.row(try Fixtures.order("c1", position: 20), position: 20)])))
        _ = driven.takeCommands()
        driven.press(.left)
        expect(driven.takeCommands().isEmpty && !driven.lines.contains { $0.contains("history") })
        expect(driven.lines[23] == " Esc back  d definition  m misfits  ? help  q quit")

        var kept = try Driven.orders(Fixtures.model("history\n" + text, category: nil), [Fixtures.order("c1")])
        kept.press(.enter)
        kept.hand(.page(.changed([.row(try Fixtures.order("c1", total: "3", position: 20), position: 20)])))
        expect(kept.lines[21].hasPrefix("── made of several streams: ← shows the state before ─"))
        _ = kept.takeCommands()
        kept.press(.left)
        guard case .earlier("c1", than: 20)? = kept.takeLastCommand(of: ModelRows.self) else {
            throw Driven.NoSuchScreen()
        }
        let second = FetchedRow.row(try Fixtures.order("c1", total: "2", position: 12))
        kept.hand(.page(.earlier(than: 20, second)))
        kept.hand(.page(.earlier(than: 20, second)))
        expect(kept.lines[1] == "as it was at position 12" && kept.lines[3] == "total         2")
        kept.press(.left)
        guard case .earlier("c1", than: 12)? = kept.takeLastCommand(of: ModelRows.self) else {
            throw Driven.NoSuchScreen()
        }
        kept.hand(.page(.earlier(than: 12, .absent("orders/c1 was made at position 12"))))
        expect(kept.lines[22] == " orders/c1 was made at position 12" && kept.lines[3] == "total         2")
        kept.press(.right)
        expect(kept.lines[1] == "as it is now, live" && kept.lines[3] == "total         3")
    }

    @Test func `rows are filtered by what the store reports, and each value is read as its type`() throws {
        var driven = try Driven.orders(Fixtures.model(), [Fixtures.order("7")])
        driven.type("/c1")
        driven.press(.tab, .tab)
        driven.type("soon")
        driven.press(.backTab)
        driven.type("ten")
        driven.press(.tab)
        expect(driven.lines[3] == "  customer        c1" && driven.lines[7] == "▸ placed (time)   soon")
        driven.press(.enter)
        expect(driven.lines[6].contains("✗ must be a number, such as 1.4"), "\(driven.lines)")
        driven.press(.control("u"), .tab)
        expect(driven.lines[8].contains("✗ must be a date"), "\(driven.lines)")
        _ = driven.takeCommands()
        driven.press(.control("u"))
        driven.type("2026-11-27")
        driven.press(.enter)
        let request = try driven.takeListRequest()
        expect(request.query.filter.values == ["customer": "c1", "placed": "2026-11-27T00:00:00.000Z"])
        expect(driven.lines[1].hasPrefix("customer=c1 placed=2026-11-27T00:00:00.000Z · by created"))
        driven.type("s")
        expect(try driven.takeListRequest().query.sort.rawValue == "total")
    }

    @Test func `a list that is sorted by a time or a number has bounds of it in its filter`() throws {
        let model = try Fixtures.model(sorts: ["created", "total", "placed", "customer"])
        var driven = try Driven.orders(model, [Fixtures.order("7")])
        driven.type("/")
        let offered = driven.lines.filter { $0.contains("since") || $0.contains("until") }
        let names = ["  total since", "  total until", "  placed since", "  placed until"]
        expect(offered.map { String($0.prefix(14)) } == names)
        driven.press(.tab, .tab, .tab, .tab)
        driven.type("1")
        driven.press(.tab, .tab)
        driven.type("2026-11-27")
        driven.press(.enter)
        expect(driven.lines.contains { $0.contains("✗ cannot be bounded beside total") }, "\(driven.lines)")
        driven.press(.control("u"))
        _ = driven.takeCommands()
        driven.press(.enter)
        let bounded = try driven.takeListRequest().query
        expect(bounded.filter.bounds == .init(sort: "total", since: "1") && bounded.sort.rawValue == "total")
        driven.type("sss")
        _ = driven.takeCommands()
        driven.type("s/")
        expect(driven.lines[11] == "  total since" && driven.lines[13] == "  total until", "\(driven.lines)")
        driven.press(.tab, .tab, .tab, .tab)
        driven.type("10")
        _ = driven.takeCommands()
        driven.press(.enter)
        let narrowed = try driven.takeListRequest().query
        expect(narrowed.filter.bounds == .init(sort: "total", since: "10") && narrowed.sort.rawValue == "total")
        expect(driven.lines[1].hasPrefix("since=10 · by total"), "\(driven.lines[1])")
        driven.type("s/")
        expect(driven.lines[11] == "  placed since")
        driven.press(.backTab)
        driven.type("2026-11-27")
        _ = driven.takeCommands()
        driven.press(.enter)
        let until = "2026-11-27T00:00:00.000Z"
        expect(try driven.takeListRequest().query.filter.bounds == .init(sort: "placed", until: until))
        driven.type("s/")
        expect(!driven.lines.contains { $0.contains("since") }, "texts have no bounds in the form")
    }

    @Test func `the definition and the misfits are a key away, also where no row is`() throws {
        var driven = try Driven.orders(Fixtures.model(rows: 0), [])
        driven.type("d")
        expect(driven.lines[0].hasPrefix(" orders › model orders "))
        let change = RowChange.row(try Fixtures.model(), position: 0)
        driven.send(.screen(driven.state.route.location.number, AnyMessage(.page(.changed([change])), of: Models())))
        expect(
            driven.lines[2] == "definition    1, ready"
                && driven.lines.contains(
                    "on Placed { customer = data.customer; total = data.total; placed = event.time }")
        )
        expect(driven.followed.contains(AnySubscription(.stream("model-orders"), of: Models())))
        driven.type("m")
        expect(driven.lines[0].hasPrefix(" orders › model orders › misfits of orders "))
    }

    @Test func `columns without room are counted above the list`() throws {
        var model = try Fixtures.model()
        var driven = try Driven.orders(model, [Fixtures.order("7")])
        expect(!driven.lines[1].contains("more on the page"))
        let fields = (1...12).map { #"{"name":"field\#($0)","type":"text","optional":false}"# }.joined(separator: ",")
        let json = #"{"model":"orders","definition":2,"state":"ready","rows":1,"fields":[\#(fields)]}"#
        model = try require(ModelDescription(try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))))
        driven = try Driven.orders(model, [Fixtures.order("7")])
        expect(driven.lines[1].hasSuffix(" · 2 more on the page"), "\(driven.lines[1])")
        expect(driven.lines[2].hasSuffix(" field10") && driven.state.screen.lines.allSatisfy { $0.width == 80 })
    }

    @Test func `values are shown as they are written, a map in the order of its keys' bytes`() throws {
        let row: ModelRow = try Fixtures.decode(
            #"{"id":"a","changes":1,"position":2,"l":["x",1.50,true],"m":{"é":1,"z":2,"B":3},"n":-0.000000000000000001}"#
        )
        expect(row.text("l") == "x, 1.5, yes" && row.text("m") == "B: 3, z: 2, é: 1")
        expect(row.text("n") == "-0.000000000000000001" && row.text("o") == "–")
    }

    @Test func `a share of numbers that fit nothing is none or all`() {
        func share(_ position: Int64, of end: Int64) -> String {
            ModelDescription.Build(definition: 1, position: position, end: end, rowsTaken: nil).share
        }
        expect(share(90_000, of: 200_000) == "45 %" && share(1, of: 3) == "33 %")
        expect(share(.max, of: 1) == "100 %" && share(.min, of: 1) == "0 %" && share(1, of: 0) == "0 %")
    }
}
