import Foundation
import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// `docs/protocol.md` says what the tables of this program say. A part that does not fails with the text that it
/// should have; each stands between `<!-- name -->` and `<!-- end -->`.
struct ProtocolDocumentTests {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
    }

    @Test func `the verbs, their roles, targets, options and JSON are those of the request table`() {
        let rows = RequestTable.standard.shapes.map { shape in
            let filters = shape.takesFilters ? ["the kind's filters"] : []
            let options = filters + shape.options.map { "`\($0.name)=`" }
            return [
                "`\(shape.verb.name)`", shape.role.name, code(shape.targetUsage),
                options.joined(separator: " "), code(shape.body.rawValue),
            ]
        }
        expect(part("verbs") == table(["verb", "role", "target", "options", "JSON"], rows))
    }

    @Test func `each verb has a section with its summary`() {
        for shape in RequestTable.standard.shapes {
            expect(text.contains("### \(shape.verb.name)\n\n\(shape.summary)"), "\(shape.verb.name)")
        }
    }

    @Test func `the options and what they mean are those that HELP tells`() {
        var rows = OptionName.allCases.map { ["`\($0.name)`", code($0.placeholder), $0.summary] }
        for filter in Catalogue.standard.kinds.flatMap(\.filters) {
            let row = ["`\(filter.name)`", code(filter.placeholder), filter.summary]
            if !rows.contains(row) { rows.append(row) }
        }
        expect(part("options") == table(["option", "value", "means"], rows))
    }

    @Test func `the filters and sort keys are those of each kind`() {
        let rows = Catalogue.standard.kinds.map { kind in
            [
                "`\(kind.name)`", kind.filters.map { "`\($0.name)=`" }.joined(separator: " "),
                kind.sorts.map { "`\($0.name)`" }.joined(separator: " "),
            ]
        }
        expect(part("kinds") == table(["kind", "filters", "sort keys, the default first"], rows))
    }

    @Test func `the error codes, their retry and their meaning are those that HELP tells`() {
        let rows = ErrorCode.allCases.map { ["`\($0.rawValue)`", "`\($0.retry.rawValue)`", $0.summary] }
        expect(part("codes") == table(["code", "retry", "when"], rows))
    }

    @Test func `every rule of a field is explained`() {
        for rule in FieldRule.allCases { expect(text.contains("\n| `\(rule.rawValue)` |"), "\(rule.rawValue)") }
    }

    @Test func `every type of event is named`() {
        let own = Catalogue.standard.kinds.flatMap(\.events).map(\.type)
        for type in own { expect(text.contains("`\(type)`"), "\(type)") }
    }

    @Test func `the limits are those of the program`() {
        let limits = Limits()
        let rows = [
            ("line", limits.line), ("inflight", limits.inflight), ("connections", limits.connections),
            ("subscriptions", limits.subscriptions), ("page", limits.page), ("output", limits.output),
            ("idle", limits.idle), ("changes", limits.changes), ("changedBytes", limits.changedBytes),
            ("foldMilliseconds", limits.foldMilliseconds),
        ]
        for (name, value) in rows { expect(text.contains("| `\(name)` | \(value) |"), "\(name) \(value)") }
        let others = [
            ListQuery.maxLimit, ReadQuery.maxLimit, StreamsQuery.maxLimit, JSONScanner.maxDepth,
            JSONScanner.maxCount, ProposalReader.maxCount, EventQuery.mostTypes,
        ]
        for value in others { expect(text.contains("| \(value) |"), "\(value)") }
    }

    @Test func `the examples are requests, but for those that are answered with an error`() throws {
        let reader = RequestReader()
        // The examples of declared models name kinds that no catalogue of this test has.
        let start = try require(text.range(of: "\n## Declared models\n")).lowerBound
        let end = try require(text.range(of: "\n## The rest\n")).lowerBound
        let lines = (text[..<start] + text[end...]).split(separator: "\n")
        let examples = zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("> ") && !$0.1.hasPrefix("- {") }
        expect(examples.count >= RequestTable.standard.shapes.count - 3)
        for (line, _) in examples { expect(reader.action(String(line.dropFirst(2))) != nil, "\(line)") }
    }

    @Test func `no line is longer than 120 columns, but for what the store said`() {
        var isOutput = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isOutput.toggle() }
            expect(isOutput || line.count <= 120 || line.hasPrefix("|"), "\(line)")
        }
    }

    /// The lines between the two marks of a part; nil where there are none.
    private func part(_ name: String) -> String? {
        guard let start = text.range(of: "<!-- \(name) -->\n"),
            let end = text.range(of: "\n<!-- end -->", range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }

    private func table(_ heads: [String], _ rows: [[String]]) -> String {
        let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |" }
        return ([line(heads), line(heads.map { _ in "---" })] + rows.map(line)).joined(separator: "\n")
    }

    /// In a table a bar has to be escaped, also in code.
    private func code(_ text: String) -> String {
        text.isEmpty ? "" : "`" + text.replacing("|", with: "\\|") + "`"
    }
}
