import LoopSupport
import StoryCore
import StoryStorage
import TestSupport
import Testing

/// Requests about declared models whose definition ends, or is undone, in the turn that they come in.
@Suite struct UndefinedModelTests {
    private let bench = LoopBench()
    private static let define = "DEFINE orders \"from order; n: number; on Placed { n += 1 }\""

    init() {
        bench.connected("ann")
        expect(bench.ask(UndefinedModelTests.define, from: "ann").last?.hasPrefix("+") == true)
        bench.run()
        expect(bench.ask(#"APPEND order-1 {"type":"Placed","data":{}}"#, from: "ann").last?.hasPrefix("+") == true)
    }

    @Test func `requests behind an UNDEFINE in its turn find the model gone`() {
        bench.send("GET orders/1\nUNDEFINE orders\nGET orders/1\nCOUNT orders\nSUBSCRIBE orders", from: "ann")
        let said = bench.hear("ann")
        expect(said.first?.contains(#""n":1"#) == true)
        expect(said.compactMap { $0.text("code") } == ["unknown", "unknown", "unknown"])
    }

    @Test func `requests behind an UNDEFINE and a DEFINE in their turn find the model being built`() {
        bench.send("UNDEFINE orders\n\(UndefinedModelTests.define)\nLIST orders\nGET orders/1", from: "ann")
        expect(bench.hear("ann").compactMap { $0.text("code") } == ["busy", "busy"])
        bench.run()
        expect(bench.ask("GET orders/1", from: "ann").last?.contains(#""n":1"#) == true)
    }

    @Test func `a model whose end was undone answers the next request`() {
        bench.log.commitFailure = .full("no room")
        bench.send("UNDEFINE orders\nGET orders/1", from: "ann")
        expect(bench.hear("ann").compactMap { $0.text("code") } == ["full", "full"])
        expect(bench.ask("GET orders/1", from: "ann").last?.contains(#""n":1"#) == true)
    }

    @Test func `there are 64 models at most; one less makes room, and a new definition of one needs none`() {
        func define(_ name: String, from start: Int = 0) -> String {
            let text = "from order; n: number = \(start); on Placed { n += 1 }"
            return bench.ask("DEFINE \(name) \"\(text)\"", from: "ann").last ?? ""
        }
        for number in 2...64 { expect(define("m\(number)").hasPrefix("+")) }
        let refused = define("m65")
        expect(refused.text("code") == "tooLarge" && refused.contains("there are 64 models already"), "\(refused)")
        expect(define("m64", from: 1).hasPrefix("+"))
        expect(bench.ask("UNDEFINE orders", from: "ann").last?.hasPrefix("+") == true)
        expect(define("m65").hasPrefix("+"))
    }
}
