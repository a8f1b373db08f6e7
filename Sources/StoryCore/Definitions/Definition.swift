/// A definition of a read model: the fields of its rows, and the program that folds events to them.
package struct Definition: Sendable {
    /// The number of the language; another meaning of a text gets another number.
    package static let language = 1
    /// The categories of the store itself, which no model reads.
    package static let builtInCategories: Set<String> = ["model", "cursor", "erasure", "system"]

    /// The fields, in the order of the row's JSON.
    package var fields: [ModelField] { program.fields }
    /// The notes.
    package var notes: [ModelField] { program.notes }
    /// The indexes, each with the numbers of its fields.
    package let indexes: [[Int]]
    /// The numbers of the fields that lists can be sorted by.
    package let sorts: [Int]
    /// True where every row is kept as it was.
    package let hasHistory: Bool
    /// True where each row is made of the events of one stream alone.
    package let hasRowsOfOneStream: Bool
    /// The program that folds an event.
    package let program: Program
    /// The remarks about the text.
    package let hints: [DefinitionHint]
    /// The position of the declaration or the statement by which rows are made of several streams.
    let gathering: SourcePosition

    /// Reads a definition.
    ///
    /// - Throws: every fault of the text at once.
    package static func read(_ text: String) throws(DefinitionFaults) -> Definition {
        guard text.utf8.count <= DefinitionLimits.text else {
            let start = SourcePosition(line: 1, column: 1)
            let sentence = "a definition has at most \(DefinitionLimits.text) bytes"
            throw DefinitionFaults([DefinitionFault(position: start, rule: .tooLong, sentence: sentence)])
        }
        var reader = DefinitionReader(text)
        let items = reader.read()
        guard reader.tokens.faults.isEmpty else { throw DefinitionFaults(reader.tokens.faults) }
        var checker = DefinitionChecker(items)
        let faults = checker.check()
        guard faults.isEmpty else { throw DefinitionFaults(faults) }
        return DefinitionCompiler(items: items).compile()
    }
}

/// The lines of a definition's statements in another definition that differs from it in indexes, sorts, comments and
/// lines alone: both make the same rows, notes and misfits.
package struct LineMapping: Equatable, Sendable {
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
