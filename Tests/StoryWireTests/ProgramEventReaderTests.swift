import StoryCore
import StoryWire
import TestSupport
import Testing

struct ProgramEventReaderTests {
    private static func values(_ data: String, _ texts: [String]) throws -> [[String]] {
        let programs = try texts.map { try Definition.read($0).program }
        let (reader, paths) = (ProgramEventReader(), EventPaths(programs))
        return Array(data.utf8).withUnsafeBytes { data in
            reader.read(ProgramEventReader.Parts(data: data), paths)
            return programs.enumerated().map { index, program in
                program.paths.indices.map { paths.values(of: index)[$0].shown }
            }
        }
    }

    /// Statements that read all of these values, a few in each.
    private static func sums(of values: [String]) -> String {
        stride(from: 0, to: values.count, by: 15).map { first in
            "n = " + values[first..<min(first + 15, values.count)].joined(separator: " + ")
        }.joined(separator: "; ")
    }

    private static let head = "from a; n: number?; t: text?; on A { "

    @Test func `one walk finds the values of all programs`() throws {
        let found = try Self.values(
            #"{"a":1.50,"b":{"c":"é\n","d":{"e":true}},"x":[1,[2,{"z":0,"y":1}]],"odd name":null}"#,
            [
                Self.head + "n = data.a; t = data.b.c; n = data.b.d.e ? 1 : 2 }",
                Self.head + "t = data['odd name']; n = count(data.x); n = data.a; n = count(data.b) }",
            ])
        expect(found[0] == ["1.50", "é\n", "true"])
        expect(found[1] == ["null", "[1,[2,{y:1,z:0}]]", "1.50", "{c:é\n,d:{e:true}}"])
    }

    @Test func `a step into a value that is no object has a reason`() throws {
        let found = try Self.values(
            #"{"s":"x","l":[],"n":7,"big":1e300,"m":null}"#,
            [
                Self.head
                    + "n = data.s.a; n = data.l.a; n = data.l['a']; n = data.n.a.b; n = data.big.a; n = data.m.a; n = data.o.a }"
            ])
        expect(found == [["missing", "missing", "wrongType", "missing", "outOfRange", "missing", "null"]])
    }

    @Test(arguments: ["5", "[1]", #""x""#, "null", "{", ""]) func `data that is no object has no members`(
        _ data: String
    ) throws {
        let found = try Self.values(data, [Self.head + "n = data.a.b; n = count(data) }"])
        expect(found[0][0] == (data == "{" || data == "" ? "null" : "missing"))
    }

    @Test(arguments: [1, 2, 3, 7, 100, 600]) func `each of many names is found, and no other`(count: Int) throws {
        let names = (0..<count).map { "n\($0 * 7919 % 1_009)" }
        let (rule, other) = (Self.sums(of: names.map { "data.\($0)" }), Self.sums(of: names.map { "data['\($0)']" }))
        let members = (0..<1_009).map { #""n\#($0)":\#($0)"# }.joined(separator: ",")
        let found = try Self.values("{\(members)}", [Self.head + rule + " }", Self.head + other + " }"])
        for values in found { expect(values == names.map { String($0.dropFirst()) }) }
        let strange = try Self.values(#"{"m":1,"n":2,"n00":3,"":4,"o":5}"#, [Self.head + rule + " }"])
        expect(strange == [names.map { _ in "null" }])
    }

    @Test func `the work of reading grows with the bytes, the names and the paths`() throws {
        func work(_ names: Int, _ bytes: Int) throws -> Work {
            let rule = Self.sums(of: (0..<names).map { "data.n\($0)" })
            return EventPaths([try Definition.read(Self.head + rule + " }").program]).work(ofBytes: bytes)
        }
        expect(try work(1, 1_000_000) > .millisecond)
        expect(try work(1, 200) < .modelEvent + .modelEvent)
        expect(try work(600, 100_000) > 3 * (try work(1, 100_000)))
        expect(try work(600, 0) > 100 * (try work(1, 0)))
    }

    @Test func `the members of a large object are found by name`() throws {
        let members = (0..<500).map { #""k\#(($0 * 37) % 500)":\#(($0 * 37) % 500)"# }.joined(separator: ",")
        let programs = [try Definition.read(Self.head + "n = data[event.id] }").program]
        let (reader, paths) = (ProgramEventReader(), EventPaths(programs))
        Array("{\(members)}".utf8).withUnsafeBytes { data in
            reader.read(ProgramEventReader.Parts(data: data), paths)
            guard case .object(let object) = paths.values(of: 0)[0] else {
                Issue.record("the data is no object")
                return
            }
            for number in 0..<500 {
                let value = Array("k\(number)".utf8).withUnsafeBytes { object[$0]?.shown }
                expect(value == "\(number)")
            }
            expect(Array("k500".utf8).withUnsafeBytes { object[$0] == nil })
        }
    }
}

extension EventValue {
    /// The value as text: texts bare, names without quotes.
    fileprivate var shown: String {
        switch self {
        case .absent(let rule): rule.rawValue
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let token): String(decoding: token, as: UTF8.self)
        case .text(let text): String(decoding: text, as: UTF8.self)
        case .array(let array): "[" + (0..<array.count).map { array[$0].shown }.joined(separator: ",") + "]"
        case .object(let object):
            "{"
                + object.members.map { String(decoding: $0.name, as: UTF8.self) + ":" + $0.value.shown }.joined(
                    separator: ",")
                + "}"
        }
    }
}
