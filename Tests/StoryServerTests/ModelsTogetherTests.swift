import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// Several declared models in one store: events go to those that read them, and rows of several are looked up together.
@Suite struct ModelsTogetherTests {
    private let bench = LoopBench()

    init() { bench.connected("ann") }

    private func answer(_ line: String) -> String { bench.ask(line, from: "ann").last ?? "" }

    private func define(_ name: String, _ text: String) {
        expect(answer("DEFINE \(name) \"\(text)\"").hasPrefix("+ "))
        bench.run()
    }

    private func count(_ name: String) -> UInt64? { answer("COUNT \(name)").number("count") }

    @Test func `each model takes its own parts of an event that several read`() {
        define("ones", "from order; a: number; on Placed { a = data.a }")
        define("twos", "from order; b: text; c: text?; on Placed { b = data.inner.b; c = meta.c }")
        define("threes", "from order; n: number; a: number; on * { n += 1; a = data.a * 2 ?? 0 }")
        _ = answer(#"APPEND order-1 {"type":"Placed","meta":{"c":"z"},"data":{"a":4,"inner":{"b":"x"}}}"#)
        expect(answer("GET ones/1").hasSuffix(#","a":4}"#))
        expect(answer("GET twos/1").hasSuffix(#","b":"x","c":"z"}"#))
        expect(answer("GET threes/1").hasSuffix(#","n":1,"a":8}"#))
        _ = answer(#"APPEND order-1 {"type":"Moved","data":{"a":1}}"#)
        expect(answer("GET ones/1").hasSuffix(#","a":4}"#))
        expect(answer("GET threes/1").hasSuffix(#","n":2,"a":2}"#))
        // An event that does not fit one of them is taken by the others.
        _ = answer(#"APPEND order-2 {"type":"Placed","data":{"a":"no"}}"#)
        expect(answer("GET ones/2").text("code") == "notFound")
        expect(answer("GET threes/2").hasSuffix(#","n":1,"a":0}"#))
    }

    @Test func `an event goes to the models of its category, and to those of all`() {
        for number in 1...14 { define("m\(number)", "from k\(number); n: number; on * { n += 1 }") }
        define("both", "from k1, k2; n: number; on * { n += 1 }")
        define("all", "from *; n: number; on * { n += 1 }")
        for number in 1...20 { _ = answer(#"APPEND k\#(number)-\#(number) {"type":"T","data":{}}"#) }
        for number in 1...14 {
            expect(count("m\(number)") == 1)
            expect(answer("GET m\(number)/\(number)").number("n") == 1)
        }
        expect(count("both") == 2)
        // The definitions and activations themselves are no event that a model reads.
        expect(count("all") == 20)
        expect(answer("UNDEFINE both").hasPrefix("+ "))
        _ = answer(#"APPEND k1-99 {"type":"T","data":{}}"#)
        expect(count("m1") == 2)
        expect(count("all") == 21)
    }

    @Test func `rows of several stores that are asked for in one turn come in the order of the requests`() {
        _ = answer(#"POST users {"id":"u","name":"N","email":"u@x.org","prefecture":13}"#)
        define("ones", "from order; a: number; on Placed { a = data.a }")
        define("twos", "from order; b: number; on Placed { b = data.a }")
        for order in 1...40 { _ = answer(#"APPEND order-\#(order) {"type":"Placed","data":{"a":\#(order)}}"#) }
        var lines = ""
        var wanted: [String] = []
        for order in 1...40 {
            for (name, field) in [("ones", "a"), ("ones", "a"), ("twos", "b")] {
                lines += "GET \(name)/\(order)\n"
                wanted.append(#"{"id":"\#(order)","changes":1,"position":\#(order + 5),"\#(field)":\#(order)}"#)
            }
            lines += "GET users/u\nGET twos/none\n"
            wanted += ["users", "notFound"]
        }
        bench.receive(lines, from: "ann")
        bench.run()
        let heard = bench.hear("ann")
        expect(heard.count == wanted.count)
        for (line, wanted) in zip(heard, wanted) {
            switch wanted {
            case "users": expect(line.text("name") == "N")
            case "notFound": expect(line.text("code") == "notFound")
            default: expect(line == "+ " + wanted)
            }
        }
    }
}
