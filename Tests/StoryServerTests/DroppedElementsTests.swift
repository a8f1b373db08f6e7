import LoopSupport
import StoryCore
import TestSupport
import Testing

@testable import StoryServer

/// Collections that drop what is beyond their maximum, in place of the event: `set(text, 500, drop)`.
struct DroppedElementsTests {
    private func loop(_ text: String) -> LoopBench {
        let bench = LoopBench()
        bench.connected("a")
        expect(bench.ask("DEFINE rooms \"from room; \(text)\"", from: "a").last?.hasPrefix("+") == true)
        bench.run()
        return bench
    }

    private func said(_ bench: LoopBench, _ data: String) {
        _ = bench.ask(#"APPEND room-1 {"type":"Said","data":\#(data)}"#, from: "a")
    }

    @Test func `what is full drops the new element, and the rest of the event counts`() throws {
        let bench = loop(
            "n: number; people: set(text, 2, drop); words: list(text, 2, drop); by: map(number, 2, drop); "
                + "on Said { n += 1; people += data.by; words += data.word; by[data.by] += 1 }")
        for (by, word) in [("ann", "x"), ("bob", "y"), ("cy", "z"), ("ann", "x"), ("cy", "v")] {
            said(bench, #"{"by":"\#(by)","word":"\#(word)"}"#)
        }
        let row = bench.ask("GET rooms/1", from: "a").last ?? ""
        expect(
            row.contains(#""n":5,"people":["ann","bob"],"words":["x","y"],"by":{"ann":2,"bob":1}"#), "\(row)")
        let model = bench.ask("MODELS rooms", from: "a").first ?? ""
        expect(model.contains(#""misfits":0"#), "\(model)")
        expect(model.contains(#"{"name":"people","type":"set(text, 2, drop)""#), "\(model)")
    }

    @Test func `without the word the whole event is a misfit`() throws {
        let bench = loop("n: number; people: set(text, 2); on Said { n += 1; people += data.by }")
        for by in ["ann", "bob", "cy"] { said(bench, #"{"by":"\#(by)"}"#) }
        expect(bench.ask("GET rooms/1", from: "a").last?.contains(#""n":2,"people":["ann","bob"]"#) == true)
        expect(bench.ask("MODELS rooms", from: "a").first?.contains(#""misfits":1"#) == true)
    }

    @Test func `of values that are assigned the first ones are kept, and each of them has to fit`() throws {
        let bench = loop(
            "people: set(text(3), 2, drop); words: list(text, 2, drop); by: map(number, 2, drop); "
                + "on Said { people = data.people; words = data.words; by = data.by }")
        said(bench, #"{"people":["b","b","a","c"],"words":["x","y","z"],"by":{"c":3,"a":1,"b":2}}"#)
        let row = bench.ask("GET rooms/1", from: "a").last ?? ""
        expect(row.contains(#""people":["b","a"],"words":["x","y"],"by":{"a":1,"b":2}"#), "\(row)")
        said(bench, #"{"people":["a","b","too long"],"words":[],"by":{}}"#)
        expect(bench.ask("READ misfits/rooms", from: "a").first?.contains(#""rule":"tooLong""#) == true)
    }

    @Test(arguments: ["last(text, 2, drop)", "set(text, 2, keep)", "text(5, drop)", "set(text, drop)"])
    func `the word stands behind the maximum of a list, a set or a map alone`(type: String) {
        let bench = LoopBench()
        bench.connected("a")
        let reply = bench.ask("DEFINE rooms \"from room; people: \(type); on Said { }\"", from: "a").last ?? ""
        expect(reply.text("code") == "invalid", "\(reply)")
    }
}
