import Foundation

/// Declared models: their definitions are in bench/models.
extension Stage {
    /// Declares a model as its file has it, and waits until it answers.
    ///
    /// - Parameters:
    ///   - name: the name that the model gets; nil is that of the file.
    ///   - category: a category that it reads instead of the one in the file.
    func define(
        _ model: String, as name: String? = nil, reading category: String? = nil, on server: String = "store"
    ) throws(BenchError) {
        let link = storeLink(try store(server).address, server)
        try Models.define(Models.text(model, reading: category), as: name ?? model, link)
        while !link.ask("COUNT \(name ?? model)") { usleep(1_000) }
    }
}

enum Models {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../models").standardizedFileURL.path

    /// The definition in a file.
    static func text(_ model: String, reading category: String? = nil) throws(BenchError) -> String {
        guard let text = try? String(contentsOfFile: "\(folder)/\(model).model", encoding: .utf8) else {
            throw BenchError("cannot read \(folder)/\(model).model")
        }
        guard let category else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("from ") ? "from \(category)" : String(line)
        }.joined(separator: "\n")
    }

    /// Declares a model; it is built from then on.
    static func define(_ text: String, as name: String, _ link: Link) throws(BenchError) {
        guard let body = try? JSONEncoder().encode(text),
            link.ask("DEFINE \(name) " + String(decoding: body, as: UTF8.self))
        else { throw BenchError("DEFINE \(name) was refused") }
    }
}
