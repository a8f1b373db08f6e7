import TestSupport
import Testing

/// Declared models, streams and the log in the browser, with the real daemon.
@Suite(.timeLimit(.minutes(10))) struct BrowseDeclaredTests {
    private static let orders = """
        // what was ordered
        from order
        customer: text
        total: number = 0
        carrier: text?
        sort total
        on Placed { customer = data.customer; total = data.total }
        on Shipped { carrier = data.carrier }
        """

    /// A store with three orders, one of which does not fit, and a cart; it has no content of the built-in kinds.
    private func daemon(model: String? = orders) throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        let client = try daemon.client()
        for (number, total) in [(7, "12.5"), (8, "100"), (9, #""twelve""#)] {
            try client.expect(
                #"APPEND order-\#(number) {"type":"Placed","data":{"customer":"c1","total":\#(total)}}"#)
        }
        try client.expect(#"APPEND cart-1 {"type":"Opened","data":{"lines":[{"sku":"a","n":1}]}}"#)
        if let model { try define(model, daemon) }
        return daemon
    }

    private func define(_ text: String, _ daemon: RunningDaemon) throws {
        let run = try daemon.storectl("model", "define", "orders", "-", input: text)
        expect(run.exit == .code(0), "\(run.errors)")
    }

    @Test func `a store with own events alone shows where they are, live`() throws {
        let daemon = try daemon(model: nil)
        let run = try BrowserRun(daemon, arguments: [])
        try run.shows("all that it holds") { screen in
            screen.lines[3] == "▸ 1   stories             0"
                && screen.lines[7]
                    == "  5   models              0          none; storectl model define declares one"
                && screen.lines[8] == "  6   streams                        of cart, order"
                && screen.lines[9].hasPrefix("  7   log                 4          20")
                && screen.lines[9].hasSuffix(" Opened of cart-1")
        }
        run.terminal.type("1")
        try run.shows("an empty list says where to look") {
            $0.lines[3] == "  nothing here; 0 shows all that the store holds, 7 its events as they come"
        }
        run.terminal.type("6")
        try run.shows("the categories") { screen in
            screen.lines[3].hasPrefix("▸ cart           4 ") && screen.lines[4].hasPrefix("  order          3 ")
                && screen.lines[4].contains(" order-9 ") && screen.lines[4].hasSuffix(" Placed")
        }
        run.terminal.type("j\r")
        try run.shows("the streams") { screen in
            screen.lines[0].hasPrefix(" streams › streams of order ") && screen.lines[3].hasPrefix("▸ order-7 ")
                && screen.lines[5].hasPrefix("  order-9 ")
        }
        run.terminal.type("\r")
        try run.shows("the stream with its past") { $0.lines[3].hasPrefix("▸ 1       20") }
        try daemon.client().expect(#"APPEND order-7 {"type":"Shipped","data":{"carrier":"post"}}"#)
        try run.shows("an event that arrives") { screen in
            screen.lines[3].hasPrefix("▸ 2       20") && screen.lines[3].contains(#"{"carrier":"post"}"#)
                && screen.lines[4].hasPrefix("  1       20")
        }
        run.terminal.type("\r")
        try run.shows("the event") { screen in
            screen.lines[2] == "type          Shipped" && screen.lines[8] == "{"
                && screen.lines[9] == #"  "carrier": "post""#
        }
        run.terminal.type("7")
        try run.shows("the log") { $0.lines[0].hasPrefix(" log ") && $0.lines[3].hasPrefix("▸ 5 ") }
        try daemon.client().expect(#"APPEND cart-1 {"type":"Closed","data":{}}"#)
        try run.shows("the log, live") { screen in
            screen.lines[3].hasPrefix("▸ 6 ") && screen.lines[3].contains(" Closed ")
                && screen.lines[4].hasPrefix("  5 ")
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        run.expectRestored()
    }

    @Test func `a model's rows are listed, filtered and live, and a row has its past`() throws {
        let daemon = try daemon()
        let run = try BrowserRun(daemon, arguments: [])
        try run.shows("the model among all that is here") {
            $0.lines[8] == "        orders            2          ready, 1 misfit"
        }
        run.terminal.type("jjjjj\r")
        try run.shows("its rows, the newest first") { screen in
            screen.lines[0].hasPrefix(" store › orders ")
                && screen.lines[1] == "all · by created, descending · of 2 rows, 1 misfit"
                && screen.lines[2].hasPrefix("  id customer") && screen.lines[2].hasSuffix(" carrier")
                && screen.lines[3].hasPrefix("▸ 8 ") && screen.lines[4].hasPrefix("  7 ")
                && screen.lines[4].contains(" 12.5 ")
        }
        run.terminal.type("j")
        try daemon.client().expect(#"APPEND order-10 {"type":"Placed","data":{"customer":"c2","total":50}}"#)
        try run.shows("one that arrives, and the selection stays") { screen in
            screen.lines[3].hasPrefix(" *10 ") && screen.lines[5].hasPrefix("▸ 7 ")
                && screen.lines[1].hasSuffix("of 3 rows, 1 misfit · 1 new")
        }
        run.terminal.type("s")
        try run.shows("by total") { screen in
            screen.lines[1].hasPrefix("all · by total, descending") && screen.lines[3].hasPrefix("▸ 8 ")
                && screen.lines[4].hasPrefix("  10 ") && screen.lines[5].hasPrefix("  7 ")
        }
        run.terminal.type("/c1\r")
        try run.shows("those of a customer") {
            $0.lines[1].hasPrefix("customer=c1 ") && $0.lines[4].hasPrefix("  7 ") && $0.lines[5].isEmpty
        }
        run.terminal.type("j\r")
        try run.shows("its page") { screen in
            screen.lines[3] == "total         12.5" && screen.lines[4] == "carrier       –"
                && screen.lines[21].hasSuffix(" 1/1")
        }
        try daemon.client().expect(#"APPEND order-7 {"type":"Shipped","data":{"carrier":"post"}}"#)
        try daemon.client().expect(#"APPEND order-7 {"type":"Rated","data":{"stars":5}}"#)
        try run.shows("the page is live, also of an event that changes nothing") { screen in
            screen.lines[4] == "carrier       post" && screen.lines[21].hasSuffix(" 3/3")
                && screen.lines[20].contains(" Rated ")
        }
        run.terminal.type("\u{1B}[H")
        try run.shows("as it was at first") { screen in
            screen.lines[1].hasPrefix("as it was at version 1, position 1, ") && screen.lines[4] == "carrier       –"
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `the definition and the misfits of a model are a key away`() throws {
        let daemon = try daemon()
        let run = try BrowserRun(daemon, arguments: ["orders"])
        try run.shows("the rows") { $0.lines[3].hasPrefix("▸ 8 ") }
        run.terminal.type("d")
        try run.shows("the definition") { screen in
            screen.lines[2] == "definition    1, ready" && screen.lines[3] == "reads         order"
                && screen.lines[8] == "// what was ordered" && screen.lines[20].contains(" ModelActivated ")
        }
        run.terminal.type("m")
        try run.shows("the misfits") { screen in
            screen.lines[3].hasPrefix("▸ 3          order-9") && screen.lines[3].contains(" wrongType  7 ")
        }
        run.terminal.type("\r")
        try run.shows("one of them") { screen in
            screen.lines[3].hasPrefix("line 7        ") && screen.lines[3].hasSuffix("total = data.total }")
                && screen.lines[10] == #"  "customer": "c1","# && screen.lines[11] == #"  "total": "twelve""#
        }
        run.terminal.type("o")
        try run.shows("its stream") { $0.lines[0].contains(" › order-9 ") && $0.lines[3].hasPrefix("▸ 1 ") }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `another definition changes the columns of an open list, and one that goes is told`() throws {
        let daemon = try daemon()
        let run = try BrowserRun(daemon, arguments: ["orders"])
        try run.shows("the rows") { $0.lines[3].hasPrefix("▸ 8 ") && !$0.lines[2].contains("label") }
        let text = Self.orders.replacing("carrier: text?", with: "carrier: text?\nlabel: text = 'new'")
        try define(text, daemon)
        try run.shows("the new column") { $0.lines[2].hasSuffix(" label") && $0.lines[3].hasSuffix(" new") }
        run.terminal.type("d")
        try run.shows("its definition, with the one before") { screen in
            screen.lines[2] == "definition    2, ready" && screen.lines[21].hasSuffix(" 4/4")
        }
        run.terminal.type("\u{1B}[H")
        try run.shows("the first definition") { screen in
            screen.lines[1].hasPrefix("as it was at version 1, ") && screen.lines[2] == "definition    1, defined"
                && !screen.text.contains("label")
        }
        run.terminal.type("\u{1B}")
        try run.shows("the list") { $0.lines[3].hasSuffix(" new") }
        expect(try daemon.storectl("model", "undefine", "orders").exit == .code(0))
        try run.shows("there is no model orders")
        run.terminal.type("5")
        try run.shows("there is none") {
            $0.lines[3].hasPrefix("  no model is declared; storectl model define NAME FILE declares one.")
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `a row of several streams is stepped through where every row is kept as it was`() throws {
        let text = """
            from order
            key data.customer
            history
            orders: number = 0
            spent: number = 0
            on Placed { orders += 1; spent += data.total }
            """
        let daemon = try daemon(model: text)
        let run = try BrowserRun(daemon, arguments: ["orders"])
        try run.shows("the customer") { $0.lines[3].hasPrefix("▸ c1 ") }
        run.terminal.type("\r")
        try run.shows("the page as it is now") {
            $0.lines[1] == "as it is now, live" && $0.lines[3] == "spent         112.5"
        }
        run.terminal.type("\u{1B}[D")
        try run.shows("the state before") {
            $0.lines[1] == "as it was at position 1" && $0.lines[3] == "spent         12.5"
        }
        run.terminal.type("\u{1B}[D")
        try run.shows("it begins here") { $0.lines[22] == " orders/c1 was made at position 1" }
        try daemon.client().expect(#"APPEND order-9 {"type":"Placed","data":{"customer":"c1","total":1}}"#)
        run.terminal.type("\u{1B}[F")
        try run.shows("now, with what came meanwhile") {
            $0.lines[1] == "as it is now, live" && $0.lines[3] == "spent         113.5"
        }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
    }

    @Test func `the first screen may be named, and a name that is none is refused`() throws {
        let daemon = try daemon(model: nil)
        let run = try BrowserRun(daemon, arguments: ["order-8"])
        try run.shows("the stream") { $0.lines[0].hasPrefix(" order-8 ") && $0.lines[3].hasPrefix("▸ 1 ") }
        run.terminal.type("\u{1B}")
        try run.shows("all that is here") { $0.lines[0].hasPrefix(" store ") }
        run.terminal.type("q")
        expect(try run.terminal.wait() == 0)
        let wrong = try BrowserRun(daemon, arguments: ["1/2"])
        expect(try wrong.terminal.wait() == 2)
        expect(wrong.terminal.screen.contains("browse shows a kind, models"))
        let none = try BrowserRun(daemon, arguments: ["nope"])
        expect(try none.terminal.wait() != 0)
        expect(none.terminal.screen.contains("there is no model nope"))
        expect(none.terminal.screen.contains("browse shows users, stories"))
        expect(!none.terminal.screen.contains("\u{1B}[?1049h"), "the terminal was not taken")
    }
}
