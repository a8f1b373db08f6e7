/// A value of lines `name=value`, which a person reads with the engine's own tool.
struct Fields {
    private let values: [(name: String, value: String)]

    init(_ values: [(name: String, value: String)]) { self.values = values }

    /// Reads the lines of a value; other lines are skipped.
    init(_ bytes: [UInt8]) {
        values = bytes.split(separator: 0x0A).compactMap { line in
            guard let end = line.firstIndex(of: 0x3D) else { return nil }
            return (
                name: String(decoding: line[..<end], as: UTF8.self),
                value: String(decoding: line[line.index(after: end)...], as: UTF8.self)
            )
        }
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    /// The value; a line break within a field would end it, and is left out.
    var bytes: [UInt8] {
        values.flatMap { Array("\($0.name)=\($0.value.filter { !$0.isNewline })\n".utf8) }
    }
}
