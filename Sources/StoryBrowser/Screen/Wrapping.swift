/// Wrapping of longer texts.
package enum Wrapping {
    /// Returns the lines of a text, broken at spaces if possible, each at most the given number of columns wide.
    ///
    /// - Parameter limit: the most lines to return.
    package static func lines(of text: String, columns: Int, limit: Int) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard lines.count < limit else { break }
            add(paragraph, max(2, columns), limit, to: &lines)
        }
        return Array(lines.prefix(limit))
    }

    private static func add(_ paragraph: Substring, _ columns: Int, _ limit: Int, to lines: inout [String]) {
        var (line, width) = ("", 0)
        /// The line up to its last space, for a break there.
        var breaking: (line: String, rest: String, width: Int)?
        for character in Shown.safe(paragraph.replacing("\t", with: "    ").description) {
            let size = Shown.width(String(character))
            if width + size > columns {
                if let end = breaking, character != " " {
                    lines.append(end.line)
                    (line, width) = (end.rest, end.width)
                } else {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
                breaking = nil
                guard lines.count < limit else { return }
                if character == " " && line.isEmpty { continue }
            }
            if character == " " {
                breaking = (line, "", 0)
            } else {
                breaking?.rest.append(character)
                breaking?.width += size
            }
            line.append(character)
            width += size
        }
        lines.append(line)
    }
}
