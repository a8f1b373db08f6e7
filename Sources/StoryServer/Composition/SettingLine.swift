/// A line `NAME = VALUE` of a configuration file.
///
/// What follows `#` is a comment. A value that has a `#`, or white space at its ends, stands in double quotes, in which
/// `\\`, `\"`, `\t`, `\n` and `\r` are what they are in JSON.
struct SettingLine: Equatable {
    /// What a line says.
    enum Reading: Equatable {
        /// It is empty, or a comment.
        case nothing
        case setting(SettingLine)
        case malformed(String)
    }

    let name: String
    /// Nil where there is no `=`.
    let value: String?

    /// - Parameter line: without its line feed; the carriage return of other systems may be there.
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
                    "what begins with a quotation mark ends with one, and \\ stands before \\ \" t n or r")
            }
            value = quoted
        } else {
            value = String(trimmed(rest.prefix { $0 != "#" }))
        }
        guard !value.isEmpty else { return .malformed("\(String(trimmed(name))) wants a value") }
        return .setting(SettingLine(name: String(trimmed(name)), value: value))
    }

    /// A value as a line has it.
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

    /// What stands behind a backslash, and what is meant.
    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "\\": "\\", "\"": "\"", "t": "\t", "n": "\n", "r": "\r",
    ]

    /// What stands before the closing mark; nil where there is none, or more than a comment behind it.
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
