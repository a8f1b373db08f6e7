import Foundation
import StoryCore
import StoryModels
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

/// `docs/storage.md` names what lies in a data directory.
struct StorageDocumentTests {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "docs/storage.md"), encoding: .utf8)
    }

    @Test func `every table of the models has a row with its number, under its model`() {
        for model in Model.allCases {
            let section = self.section(of: model)
            for table in model.tables { #expect(section.contains(row(table)), "\(row(table)) in \(model)") }
        }
    }

    @Test func `no table is described that is not there`() {
        let known = Set(Table.allCases.map(row))
        let rows = text.split(separator: "\n").filter { $0.wholeMatch(of: /\| `\w+` \| \d+ \|.*/) != nil }
        #expect(rows.count == Table.allCases.count)
        for row in rows { #expect(known.contains { row.hasPrefix($0) }, "\(row)") }
    }

    @Test func `the sizes and versions are those of the program`() {
        for sentence in [
            "FORMAT is version \(FormatFile.version)", "the log's header is version \(LogHeader.version)",
            "the models are version \(Model.version)", "The header has \(RecordHeader.size) bytes",
            "the seal has \(Seal.size) bytes", "first \(KeyWriter.textPrefix) bytes of a text",
            "`number` | \(KeyWriter.numberCount) bytes",
        ] {
            #expect(text.contains(sentence), "\(sentence)")
        }
    }

    private func row(_ table: Table) -> String { "| `\(table)` | \(table.rawValue) |" }

    /// What stands under the heading of a model, up to the next heading.
    private func section(of model: Model) -> Substring {
        guard let start = text.range(of: "\n### `\(model.rawValue)`\n") else { return "" }
        let rest = text[start.upperBound...]
        return rest[..<(rest.range(of: "\n#")?.lowerBound ?? rest.endIndex)]
    }
}
