/// A line `NAME = VALUE` of a configuration file.
///
/// A comment begins with `#`. A value that contains a `#`, or has white space at its ends, is in double quotes, in
/// which `\\`, `\"`, `\t`, `\n` and `\r` are escapes as in JSON.
enum SettingLine {
    /// Parses a line: its name, and its value, which is nil where there is no `=`; nil for an empty line and a comment.
    ///
    /// - Parameters:
    ///   - line: the line without its line feed; a carriage return at its end is ignored.
    ///   - location: its `PATH:LINE`.
    static func read(
        _ line: Substring.UnicodeScalarView, _ location: String
    ) throws(SettingsError) -> (name: String, value: String?)? {
        let content = trimmed(line)
        guard let first = content.first, first != "#" else { return nil }
        let written = content.prefix { $0 != "=" && $0 != "#" }
        let name = String(trimmed(written))
        guard content[written.endIndex...].first == "=" else { return (name, nil) }
        let rest = trimmed(content[written.endIndex...].dropFirst())
        let isQuoted = rest.first == "\""
        guard let value = isQuoted ? unquoted(rest.dropFirst()) : String(trimmed(rest.prefix { $0 != "#" })) else {
            throw .init(
                message: "\(location): a value that begins with a quotation mark ends with one, and \\ is written "
                    + "before \\ \" t n or r")
        }
        guard !value.isEmpty else { throw .init(message: "\(location): \(name) wants a value") }
        return (name, value)
    }

    /// Formats a value, in quotes where it needs them.
    static func written(_ value: String) -> String {
        let scalars = value.unicodeScalars
        let isPlain =
            !value.isEmpty && scalars.first != "\"" && trimmed(scalars[...]).count == scalars.count
            && scalars.allSatisfy { $0 != "#" && !escapes.values.contains($0) || $0 == "\"" || $0 == "\\" }
        guard !isPlain else { return value }
        var text = "\""
        for scalar in scalars {
            if let escape = escapes.first(where: { $0.value == scalar })?.key {
                text.unicodeScalars += ["\\", escape]
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// The escapes: the scalar after the backslash, and its meaning.
    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "\\": "\\", "\"": "\"", "t": "\t", "n": "\n", "r": "\r",
    ]

    /// Returns the text up to the closing quotation mark; nil where there is none, or more than a comment follows it.
    private static func unquoted(_ text: Substring.UnicodeScalarView) -> String? {
        var value = String.UnicodeScalarView()
        var rest = text
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"":
                let left = trimmed(rest)
                return left.isEmpty || left.first == "#" ? String(value) : nil
            case "\\":
                guard let escape = rest.popFirst().flatMap({ escapes[$0] }) else { return nil }
                value.append(escape)
            default: value.append(scalar)
            }
        }
        return nil
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}

/// Durations in seconds with up to three decimals, as settings have them.
enum DecimalSeconds {
    /// Parses a duration; nil where the text is malformed, or above `most` seconds.
    static func milliseconds(_ text: String, atMost most: Int) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy(isDigits), parts[0].count <= 9, let seconds = Int(parts[0]) else {
            return nil
        }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.count <= 3, let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.count))
        else { return nil }
        let milliseconds = seconds * 1_000 + thousandths
        return milliseconds <= most * 1_000 ? milliseconds : nil
    }

    /// Formats a duration, without trailing zeros.
    static func text(milliseconds: Int) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        guard rest > 0 else { return "\(seconds)" }
        var digits = String(String(1_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(seconds).\(digits)"
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }
}
