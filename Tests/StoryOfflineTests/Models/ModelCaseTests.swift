import Foundation
import StoryOffline
import TestSupport
import Testing

struct ModelCaseTests {
    @Test func `every public case comes out`() throws {
        let cases = try ModelCase.read([UInt8](Data(contentsOf: URL(filePath: DefinitionFixtures.path("cases.json")))))
        #expect(cases.count == 18)
        for one in cases {
            let differences = try one.differences().map { "\($0.subject): \($0.result), not \($0.expected)" }
            #expect(differences == [], "\(one.name)")
        }
    }

    @Test func `a case that differs names the thing, the result and the expected one`() throws {
        let one = try Self.one(rows: #"{"1":{"changes":1,"position":1,"n":2}}"#)
        let differences = try one.differences()
        #expect(differences.map(\.subject) == ["rows"])
        #expect(differences.first?.result == #"{"1":{"changes":1,"position":1,"n":1}}"#)
        #expect(differences.first?.expected == #"{"1":{"changes":1,"position":1,"n":2}}"#)
        #expect(try Self.one(rows: #"{ "1": {"changes": 1, "position": 1.0, "n": 1e0} }"#).differences().isEmpty)
    }

    @Test func `a definition with faults differs by each`() throws {
        let differences = try Self.one(definition: "from a; n: nmber; on A { m = 1 }", rows: "{}").differences()
        #expect(differences.map(\.subject) == ["definition", "definition"])
        #expect(differences.first?.result == "1:12: notSelected: nmber is no type")
    }

    @Test(arguments: ["", "{}", "[1]", "[{}", #"[{"a":1,"a":2}]"#]) func `a file of no cases says why`(_ text: String) {
        #expect(throws: ModelCase.Unreadable.self) { try ModelCase.read(Array(text.utf8)) }
    }

    @Test func `an event that is none ends the case`() throws {
        let text = #"[{"name":"x","definition":"from a; n: number; on A { n = 1 }","events":[{"type":"A"}]}]"#
        let one = try #require(try ModelCase.read(Array(text.utf8)).first)
        #expect(throws: ModelCase.Unreadable.self) { try one.differences() }
    }

    private static func one(
        definition: String = "from a; n: number; on A { n = data.v }", rows: String
    ) throws -> ModelCase {
        let event =
            #"{"stream":"a-1","type":"A","position":1,"version":1,"time":"2026-11-20T00:00:00Z","data":{"v":1}}"#
        let text = #"[{"name":"x","definition":"\#(definition)","events":[\#(event)],"rows":\#(rows),"misfits":[]}]"#
        return try #require(try ModelCase.read(Array(text.utf8)).first)
    }
}
