import Foundation
import StoryOffline
import TestSupport
import Testing

struct ModelCaseTests {
    @Test func `every public case comes out`() throws {
        let cases = try Self.read([UInt8](Data(contentsOf: URL(filePath: DefinitionFixtures.path("cases.json")))))
        expect(cases.count == 18)
        for one in cases {
            let differences = try one.differences().map { "\($0.subject): \($0.result), not \($0.expected)" }
            expect(differences == [], "\(one.name)")
        }
    }

    @Test func `a case that differs names the thing, the result and the expected one`() throws {
        let one = try Self.one(rows: #"{"1":{"changes":1,"position":1,"n":2}}"#)
        let differences = try one.differences()
        expect(differences.map(\.subject) == ["rows"])
        expect(differences.first?.result == #"{"1":{"changes":1,"position":1,"n":1}}"#)
        expect(differences.first?.expected == #"{"1":{"changes":1,"position":1,"n":2}}"#)
        expect(try Self.one(rows: #"{ "1": {"changes": 1, "position": 1.0, "n": 1e0} }"#).differences().isEmpty)
    }

    @Test func `a definition with faults differs by each`() throws {
        let differences = try Self.one(definition: "from a; n: nmber; on A { m = 1 }", rows: "{}").differences()
        expect(differences.map(\.subject) == ["definition", "definition"])
        expect(differences.first?.result.hasPrefix("1:12: notSelected: nmber is no type; ") == true)
    }

    @Test(arguments: ["", "{}", "[1]", "[{}", #"[{"a":1,"a":2}]"#]) func `a file of no cases says why`(_ text: String) {
        #expect(throws: ModelCase.Unreadable.self) { try Self.read(Array(text.utf8)) }
    }

    @Test(arguments: [
        (#"{"name":"x","model":"x.model"}"#, #"x: a case has no "model"; it may have name, family, file, "#),
        (#"{"name":"x","definiton":"from a"}"#, #"x: a case has no "definiton"; the nearest is definition; "#),
        (#"{"definition":"","events":[{"dta":{}}]}"#, #"case 1: event 1: an event has no "dta"; the nearest is data"#),
        (#"{"definition":"","events":[1]}"#, "case 1: event 1: an event is a JSON object"),
        (#"{"definition":"","queries":[{"ask":{"lst":{}},"answer":[]}]}"#, #"case 1: a question has no "lst"; the ne"#),
        (#"{"definition":"","queries":[{"ask":{"list":{}}}]}"#, "case 1: a query lacks answer"),
        (#"{"definition":"","file":"a"}"#, "case 1: file and definition say the same; give one"),
        (#"{"name":"x"}"#, "x: file or definition is missing"),
    ])
    func `a member that is not known is refused with its name`(_ one: String, _ reason: String) {
        let error = #expect(throws: ModelCase.Unreadable.self) { try Self.read(Array("[\(one)]".utf8)) }
        expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `an event that is none ends the case`() throws {
        let text = #"[{"name":"x","definition":"from a; n: number; on A { n = 1 }","events":[{"type":"A"}]}]"#
        let one = try require(try Self.read(Array(text.utf8)).first)
        #expect(throws: ModelCase.Unreadable.self) { try one.differences() }
    }

    @Test func `an event whose data are erased changes nothing`() throws {
        let event =
            #"{"position":1,"stream":"a-1","version":1,"type":"A","time":"2026-11-20T00:00:00Z","by":0,"erased":9}"#
        let definition = "from a; n: number; on A { n = data.v }"
        let text = #"[{"definition":"\#(definition)","events":[\#(event)],"rows":{},"misfits":[]}]"#
        let one = try require(try Self.read(Array(text.utf8)).first)
        expect(try one.differences().isEmpty)
    }

    private static func one(
        definition: String = "from a; n: number; on A { n = data.v }", rows: String
    ) throws -> ModelCase {
        let event =
            #"{"stream":"a-1","type":"A","position":1,"version":1,"time":"2026-11-20T00:00:00Z","data":{"v":1}}"#
        let text = #"[{"name":"x","definition":"\#(definition)","events":[\#(event)],"rows":\#(rows),"misfits":[]}]"#
        return try require(try read(Array(text.utf8)).first)
    }

    private static func read(_ json: [UInt8]) throws(ModelCase.Unreadable) -> [ModelCase] {
        try ModelCase.read(json) { (file) throws(ModelCase.Unreadable) in
            throw ModelCase.Unreadable(reason: "\(file) is not read here")
        }
    }
}
