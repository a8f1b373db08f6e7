import Foundation
package import StoryCore

/// The public cases, faulty texts and examples of definitions, and results of exact decimals.
package enum DefinitionFixtures {
    /// The names of the examples.
    package static let examples = [
        "accounts", "board", "carts", "daily", "emails", "feed", "funnel", "inbox", "inventory", "lines", "orders",
        "scores",
    ]

    /// Returns the path of a file.
    package static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name)").path
    }

    /// Returns the text of a file.
    package static func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Returns the JSON of a file.
    package static func json(_ name: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path(name))))
    }

    /// Returns every fault of a text.
    package static func faults(of text: String) -> [DefinitionFault] {
        do {
            _ = try Definition.read(text)
            return []
        } catch { return error.faults }
    }
}
