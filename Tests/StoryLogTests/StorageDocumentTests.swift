import Foundation
import StoryCore
import StoryFold
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
        for model in Catalogue.standard.models {
            let section = self.section(of: model)
            for table in Catalogue.standard.tables(of: model) {
                expect(section.contains(row(table)), "\(row(table)) in \(model)")
            }
        }
    }

    @Test func `no table is described that is not there`() {
        let known = Set(Catalogue.standard.tables.map(row))
        let rows = text.split(separator: "\n").filter { $0.wholeMatch(of: /\| `\w+` \| \d+ \|.*/) != nil }
        expect(rows.count == Catalogue.standard.tables.count)
        for row in rows { expect(known.contains { row.hasPrefix($0) }, "\(row)") }
    }

    @Test func `the sizes and versions are those of the program`() {
        for sentence in [
            "FORMAT is version \(FormatFile.version)", "the log's header is version \(LogHeader.version)",
            "the models are version \(ModelVersion.current)", "The header has \(EventHeader.size) bytes",
            "the seal has \(Seal.size) bytes", "first \(KeyBuffer.textPrefix) bytes of a text",
            "limit of \(KeyBuffer.keyLength.upperBound) bytes",
        ] {
            expect(text.contains(sentence), "\(sentence)")
        }
    }

    private func row(_ table: ModelTable) -> String { "| `\(table.name)` | \(table.number) |" }

    /// What stands under the heading of a model, up to the next heading.
    private func section(of model: String) -> Substring {
        guard let start = text.range(of: "\n### `\(model)`\n") else { return "" }
        let rest = text[start.upperBound...]
        return rest[..<(rest.range(of: "\n#")?.lowerBound ?? rest.endIndex)]
    }
}
