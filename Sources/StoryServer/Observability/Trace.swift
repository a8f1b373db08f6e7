package import StoryCore

/// What the daemon prints: one line a happening on standard error, `time word name=value …`.
package struct Trace: Sendable {
    private let write: @Sendable ([UInt8]) -> Void
    private let now: @Sendable () -> Instant

    package init(now: @escaping @Sendable () -> Instant, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.now = now
        self.write = write
    }

    /// Values are cut at 200 characters. A character that acts on a terminal, ends a line or turns the direction of the
    /// text is spelled out, as `\u{1b}`.
    package func say(_ happening: String, _ members: KeyValuePairs<String, String> = [:]) {
        var line = now().text + " " + happening
        for (name, value) in members { line += " \(name)=\(Trace.quoted(value))" }
        write(Array(line.utf8) + [0x0A])
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        guard !isPlain || value.count > 200 else { return value }
        var text = "\""
        for scalar in value.unicodeScalars.prefix(200) {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default: text += isSeen(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }

    /// False for what a terminal obeys and does not show.
    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
