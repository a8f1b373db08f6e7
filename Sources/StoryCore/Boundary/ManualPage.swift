/// What a program's manual page is made of, in the language of man.
package enum ManualPage {
    /// The lines that a page begins with.
    package static func title(_ name: String, section: Int, _ summary: String) -> [String] {
        [
            ".TH \(name.uppercased()) \(section) \"\" \"Storykeep \(ProgramVersion.number)\"", ".SH NAME",
            escaped(name) + " \\- " + escaped(summary),
        ]
    }

    /// Options as they are written, and what each does.
    package static func options(_ rows: [(usage: String, summary: String)]) -> [String] {
        rows.flatMap { [".TP", ".B " + escaped($0.usage), escaped($0.summary)] }
    }

    /// Text without a sense of its own: backslashes, hyphens as they are typed, and no request at a line's beginning.
    package static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
            .unicodeScalars.map {
                $0.isASCII ? String($0) : "\\[u\(String($0.value, radix: 16, uppercase: true).leftPadded)]"
            }
            .joined()
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}

extension String {
    /// At least four digits, as man names characters.
    fileprivate var leftPadded: String { String(repeating: "0", count: max(0, 4 - count)) + self }
}
