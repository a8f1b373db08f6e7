import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// Writes whose fold into declared models is long: nobody else waits for them.
    @Suite struct WideWriteTests {
        /// The number of models, and of the events of the write.
        private static let (models, events) = (4, 80)
        /// Ten changes of a map and one of a set for each of a hundred elements.
        private static let text =
            "from h; m: map(number, 1000); s: set(text, 1000); key 'one'; on A { for x in data.l { "
            + String(repeating: "m[x.k] += x.v; ", count: 10) + "s += x.k } }"

        private static let append: String = {
            let elements = (0..<100).map { #"{"k":"k\#($0)","v":\#($0)}"# }.joined(separator: ",")
            let event = #"{"type":"A","data":{"l":[\#(elements)]}}"#
            return "APPEND h-1 [\(Array(repeating: event, count: events).joined(separator: ","))]"
        }()

        private func define(at daemon: RunningDaemon) throws {
            let client = try daemon.client()
            for number in 0..<WideWriteTests.models {
                let answer = try client.ask("DEFINE h\(number) \"\(WideWriteTests.text)\"")
                try require(answer.hasPrefix("+"), "\(answer)")
            }
            try until("the models answer") {
                try client.rows("MODELS").filter { $0.text("state") == "ready" }.count == WideWriteTests.models
            }
        }

        /// Appends at one daemon, and asks the others as long as that takes; returns the duration of the write and the longest
        /// wait of a question.
        private func longestWait(_ writer: RunningDaemon, beside others: [RunningDaemon]) throws -> (
            write: Duration, longest: Duration
        ) {
            let (client, asking) = (try writer.client(), try others.map { try $0.client() })
            let clock = ContinuousClock()
            let began = clock.now
            expect(client.send(WideWriteTests.append))
            var (longest, count) = (Duration.zero, 0)
            while !client.hasBytes {
                for other in asking {
                    let asked = clock.now
                    expect(try other.ask("PING").hasPrefix("+"))
                    _ = try other.ask("GET h0/one")
                    longest = max(longest, clock.now - asked)
                    count += 1
                }
            }
            let answer = try client.line()
            expect(answer.hasPrefix("+") && count > 10, "\(answer.prefix(200))")
            return (clock.now - began, longest)
        }

        @Test func `others are answered while a write through wide models is folded`() throws {
            let daemon = try RunningDaemon()
            try define(at: daemon)
            let (write, longest) = try longestWait(daemon, beside: [daemon])
            expect(longest < write / 4)
            expect(try daemon.client().ask("GET h3/one").number("changes") == UInt64(WideWriteTests.events))
        }

        /// The memory of a build is full in the middle of an event: the event is folded to its end, and then stored.
        @Test func `a model over events that change many wide rows is built to its end`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            let keys = (0..<100).map { "\"k\($0)\"" }.joined(separator: ",")
            let events = Array(repeating: #"{"type":"A","data":{"l":[\#(keys)]}}"#, count: 100).joined(separator: ",")
            for _ in 0..<10 { try client.expect("APPEND h-1 [\(events)]") }
            let numbers = 0..<60
            let parts = numbers.map { "f\($0): number = 0; " } + (0..<8).map { "index f\($0); sort f\($0 + 8); " }
            let changes = numbers.map { "f\($0) += 1; " }.joined()
            try client.expect(
                "DEFINE wide \"from h; \(parts.joined())key 'one'; on A { for x in data.l { row x { \(changes) } } }\"")
            try until("it is built", within: 60) {
                try client.rows("MODELS wide").first?.text("state") == "ready"
            }
            expect(try client.ask("GET wide/k99").number("f59") == 1_000)
        }

        @Test func `a leader keeps its lead through such a write, and the followers fold it beside their clients`()
            throws
        {
            let nodes = try RunningNodes(3)
            try define(at: nodes["n1"])
            let (write, longest) = try longestWait(nodes["n2"], beside: [nodes["n1"]])
            expect(longest < write)
            for name in ["n1", "n2", "n3"] {
                try until("\(name) has folded it") {
                    try nodes[name].client().ask("GET h3/one").number("changes") == UInt64(WideWriteTests.events)
                }
            }
            expect(try nodes.state("n1") == "leading")
            expect(!nodes["n1"].trace.contains(" not-leading "))
        }
    }
}
