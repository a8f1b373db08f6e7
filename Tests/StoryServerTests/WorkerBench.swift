import LoopSupport
import StoryCore
import StoryEngine
import StoryServer
import TestSupport

/// Ten orders, two notes, and a cursor over the orders, behind the shipped loop.
struct WorkerBench {
    let bench = LoopBench()

    /// Ten orders in two streams and two notes, at the positions 1 to 12, and the cursor `billing` over the orders.
    init() {
        bench.connected("a", "w", "v")
        for number in 1...10 {
            _ = bench.ask(#"APPEND order-\#(number % 2) {"type":"Placed","data":{"n":\#(number)}}"#, from: "a")
        }
        for _ in 1...2 { _ = bench.ask(#"APPEND note-1 {"type":"Wrote","data":{}}"#, from: "a") }
        let made = bench.ask(#"CURSOR billing {"on":"events/order-*","window":4,"attempts":3}"#, from: "a")
        expect(made.first?.hasPrefix(#"+ {"id":"billing","stream":"cursor-billing","version":1,"#) == true, "\(made)")
    }

    /// Holds the cursor; returns the closing line and the pushes behind it.
    func work(_ name: String) -> [String] { bench.ask("WORK billing", from: name) }

    /// Writes an output of an event; returns the reply, and the positions that were delivered behind it.
    func output(_ position: Int, from name: String) -> (reply: String, delivered: [UInt64]) {
        let lines = bench.ask(
            #"APPEND invoice-1 cursor=billing@\#(position) {"type":"Billed","data":{"of":\#(position)}}"#, from: name)
        return (lines.first { !$0.hasPrefix(">") } ?? "", delivered(lines + bench.hear(name)))
    }

    func delivered(_ lines: [String]) -> [UInt64] {
        lines.filter { $0.hasPrefix(">") }.compactMap { $0.text("stream") == nil ? nil : $0.number("position") }
    }

    func state() -> String { bench.ask("CURSORS billing", from: "a").first ?? "" }
}
