import Foundation
import LoopSupport
import StoryCore
import StoryServer
import TestSupport
import Testing

/// The public cases of declared models, through the loop: defined before, half-way through and after the events.
@Suite struct DefinedCasesTests {
    /// A case as the file has it.
    private struct Case {
        let name: String
        let definition: String
        let events: [[String: Any]]
        let rows: [String: [String: Any]]
        let misfits: [[Any]]
        let queries: [[String: Any]]

        init?(_ json: Any) {
            guard let members = json as? [String: Any], let name = members["name"] as? String,
                let definition = members["definition"] as? String
            else { return nil }
            (self.name, self.definition) = (name, definition)
            events = members["events"] as? [[String: Any]] ?? []
            rows = members["rows"] as? [String: [String: Any]] ?? [:]
            misfits = members["misfits"] as? [[Any]] ?? []
            queries = members["queries"] as? [[String: Any]] ?? []
        }

        /// True where the events are in streams that no client may append to.
        var isOfStoreItself: Bool { events.contains { ($0["stream"] as? String)?.hasPrefix("message-") == true } }
    }

    @Test(arguments: [0.0, 0.5, 1.0])
    func `every case gives its rows, misfits and answers, whenever it is defined`(part: Double) throws {
        let cases = (try DefinitionFixtures.json("cases.json") as? [Any] ?? []).compactMap(Case.init)
        expect(cases.count >= 18)
        for one in cases where !one.isOfStoreItself {
            try check(one, definedAfter: Int(Double(one.events.count) * part))
        }
    }

    private func check(_ one: Case, definedAfter count: Int) throws {
        let bench = LoopBench()
        bench.connected("ann")
        bench.clock.setStep(milliseconds: 0)
        // Before the time of every event, since times do not go back.
        bench.clock.jump(milliseconds: 1_700_000_000_000 - bench.clock.now().milliseconds)
        var appended = 0
        for event in one.events.prefix(count) { if try append(event, bench) { appended += 1 } }
        let definition = try text(one.definition)
        let defined = bench.ask("DEFINE tried \(definition)", from: "ann")
        try require(defined.last?.hasPrefix("+") == true, "\(one.name): \(defined)")
        bench.run()
        for event in one.events.dropFirst(count) { if try append(event, bench) { appended += 1 } }
        try require(appended == one.events.count, "\(one.name): \(one.events.count - appended) events were refused")
        let isShifted = count < one.events.count
        guard !isShifted || !one.definition.contains("event.position") else { return }
        let found = bench.ask("LIST tried order=asc limit=1000", from: "ann").dropLast().map(members)
        let rows = Dictionary(uniqueKeysWithValues: found.map { ($0["id"] as? String ?? "", $0) })
        expect(Set(rows.keys) == Set(one.rows.keys), "\(one.name)")
        for (id, expected) in one.rows {
            guard var row = rows[id] else { continue }
            var expected = expected
            row["id"] = nil
            if isShifted { (row["position"], expected["position"]) = (nil, nil) }
            expect(NSDictionary(dictionary: row) == NSDictionary(dictionary: expected), "\(one.name): \(id)")
            expect(bench.ask("GET tried/\(id)", from: "ann").last?.contains(#""id":"\#(id)""#) == true)
        }
        let misfits = bench.ask("READ misfits/tried", from: "ann").dropLast().map(members)
        expect(misfits.map { "\($0["line"] ?? "") \($0["rule"] ?? "")" } == one.misfits.map { "\($0[1]) \($0[2])" })
        for query in one.queries { ask(query, one, bench) }
    }

    private func append(_ event: [String: Any], _ bench: LoopBench) throws -> Bool {
        guard let stream = event["stream"] as? String, let time = (event["time"] as? String).flatMap({ Instant($0) })
        else { return false }
        bench.clock.jump(milliseconds: time.milliseconds - bench.clock.now().milliseconds)
        var members = ["type": event["type"] ?? "", "data": event["data"] ?? NSNull()]
        for name in ["meta", "tags"] { members[name] = event[name] }
        let body = try JSONSerialization.data(withJSONObject: members)
        let line = "APPEND \(stream) " + String(decoding: body, as: UTF8.self)
        return bench.ask(line, from: "ann").last?.hasPrefix("+") == true
    }

    private func ask(_ query: [String: Any], _ one: Case, _ bench: LoopBench) {
        guard let asked = query["ask"] as? [String: Any] else { return }
        if let id = asked["get"] as? String {
            let answer = bench.ask("GET tried/\(id)", from: "ann").last ?? ""
            let isThere = !(query["answer"] is NSNull)
            expect(answer.hasPrefix("+") == isThere, "\(one.name): \(asked) \(answer)")
            return
        }
        let verb = asked["count"] == nil ? "LIST" : "COUNT"
        var line = "\(verb) tried"
        for (name, value) in asked[verb.lowercased()] as? [String: Any] ?? [:] { line += " \(name)=\(word(value))" }
        for name in ["sort", "order", "since", "until"] {
            if let value = asked[name] { line += " \(name)=\(word(value))" }
        }
        let lines = bench.ask(line, from: "ann")
        if let count = query["answer"] as? Int {
            expect(lines.last?.number("count") == UInt64(count), "\(one.name): \(line) \(lines)")
        } else if let ids = query["answer"] as? [String] {
            expect(lines.dropLast().map { $0.text("id") } == ids, "\(one.name): \(line) \(lines.last ?? "")")
        }
    }

    private func word(_ value: Any) -> String {
        if let flag = value as? NSNumber, isBoolean(flag) { return flag.boolValue ? "true" : "false" }
        guard let text = value as? String else { return "\(value)" }
        return text.contains { $0 == " " || $0 == "\"" } || text.isEmpty ? (try? self.text(text)) ?? text : text
    }

    private func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

    private func text(_ text: String) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: [text], options: .withoutEscapingSlashes)
        return String(decoding: data, as: UTF8.self).dropFirst().dropLast().description
    }

    private func members(_ line: String) -> [String: Any] {
        let json = try? JSONSerialization.jsonObject(with: Data(line.drop { $0 != "{" }.utf8))
        return json as? [String: Any] ?? [:]
    }
}
