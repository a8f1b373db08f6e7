/// The lines of a definition's statements in another definition that differs from it in indexes, sorts, comments and
/// lines alone: both make the same rows, notes and misfits.
package struct MovedLines: Equatable, Sendable {
    /// The line in the other definition by that in the first one.
    private let lines: [Int: Int]

    /// Compares two texts; nil where they may make other rows, or where statements of one line are on several lines of
    /// the other text, so that nothing says which of them a misfit is of.
    package init?(from oldText: [UInt8], to newText: [UInt8]) {
        let (old, new) = (String(decoding: oldText, as: UTF8.self), String(decoding: newText, as: UTF8.self))
        guard DefinitionTokens(ofRows: old) == DefinitionTokens(ofRows: new),
            let before = try? Definition.read(old), let after = try? Definition.read(new)
        else { return nil }
        let (first, second) = (before.program.lines, after.program.lines)
        guard first.count == second.count else { return nil }
        var lines: [Int: Int] = [:]
        for (line, moved) in zip(first, second) {
            if let other = lines.updateValue(moved, forKey: line), other != moved { return nil }
        }
        self.lines = lines
    }

    /// Returns the line of a statement in the other definition; nil for a line without statements.
    package subscript(line: Int) -> Int? { lines[line] }
}
