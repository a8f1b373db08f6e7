import LoopSupport
import StoryCore
import StoryWire
import TestSupport
import Testing

/// Fields of declared models whose names other things have.
struct FieldNameTests {
    /// An option that comes with a new verb must not be in the way of the models that there are.
    @Test func `a field has the name of any option that LIST and SUBSCRIBE of rows do not have`() {
        let bench = LoopBench()
        bench.connected("a")
        var taken: [String] = []
        for name in OptionName.allCases.map(\.name) {
            let text = "from order; \(name): text; index \(name); on A { \(name) = data.x }"
            let reply = bench.ask("DEFINE m-\(name) \"\(text)\"", from: "a").last ?? ""
            guard reply.hasPrefix("+") else {
                expect(reply.text("code") == "invalid", "\(reply)")
                continue
            }
            bench.run()
            _ = bench.ask(#"APPEND order-\#(name) {"type":"A","data":{"x":"y"}}"#, from: "a")
            let rows = bench.ask("LIST m-\(name) \(name)=y", from: "a")
            expect(rows.contains { $0.text("id") == name }, "\(rows)")
            expect(bench.ask("COUNT m-\(name) \(name)=y", from: "a").last?.hasPrefix("+") == true, "\(name)")
            taken.append(name)
        }
        expect(Set(["from", "to", "types", "tags", "query", "log", "words"]).isSubset(of: taken), "\(taken)")
    }
}
