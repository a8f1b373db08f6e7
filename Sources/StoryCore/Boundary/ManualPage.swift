/// The parts of a program's manual page, in the language of man.
package enum ManualPage {
    /// Returns the first lines of a page.
    package static func title(_ name: String, section: Int, _ summary: String) -> [String] {
        [
            ".TH \(name.uppercased()) \(section) \"\" \"Storykeep \(ProgramVersion.number)\"", ".SH NAME",
            escaped(name) + " \\- " + escaped(summary),
        ]
    }

    /// Returns the lines of a list of options, each with its summary.
    package static func options(_ rows: [(usage: String, summary: String)]) -> [String] {
        rows.flatMap { [".TP", ".B " + escaped($0.usage), escaped($0.summary)] }
    }

    /// Escapes text for man: backslashes, hyphens and quotes, characters beyond ASCII, and a request at the line's
    /// beginning.
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
    /// The text padded with zeros to four digits, as man names characters.
    fileprivate var leftPadded: String { String(repeating: "0", count: max(0, 4 - count)) + self }
}
