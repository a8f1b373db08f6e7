/// A line `NAME = VALUE` of a configuration file.
///
/// A comment begins with `#`. A value that contains a `#`, or has white space at its ends, is in double quotes, in
/// which `\\`, `\"`, `\t`, `\n` and `\r` are escapes as in JSON.
struct SettingLine: Equatable {
    /// The result of parsing a line.
    enum Reading: Equatable {
        /// The line is empty, or a comment.
        case nothing
        case setting(SettingLine)
        case malformed(String)
    }

    let name: String
    /// The value; nil where there is no `=`.
    let value: String?

    /// Parses a line.
    ///
    /// - Parameter line: the line without its line feed; a carriage return at its end is ignored.
    static func read(_ line: Substring.UnicodeScalarView) -> Reading {
        let content = trimmed(line)
        guard let first = content.first, first != "#" else { return .nothing }
        let name = content.prefix { $0 != "=" && $0 != "#" }
        guard content[name.endIndex...].first == "=" else {
            return .setting(SettingLine(name: String(trimmed(name)), value: nil))
        }
        let rest = trimmed(content[name.endIndex...].dropFirst())
        let value: String
        if rest.first == "\"" {
            guard let quoted = unquoted(rest.dropFirst()) else {
                return .malformed(
                    "a value that begins with a quotation mark ends with one, and \\ is written before \\ \" t n or r")
            }
            value = quoted
        } else {
            value = String(trimmed(rest.prefix { $0 != "#" }))
        }
        guard !value.isEmpty else { return .malformed("\(String(trimmed(name))) wants a value") }
        return .setting(SettingLine(name: String(trimmed(name)), value: value))
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
