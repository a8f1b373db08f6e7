import StoryCore

/// The parts of a definition's text that say which events its rows are made of.
package struct ModelOutline: Hashable, Sendable {
    /// The categories of its events, in the order of their names; nil for all but the store's own.
    package let categories: [String]?
    /// True where each row is made of the events of one stream alone, whose ID is the row's.
    package let hasRowsOfOneStream: Bool
    /// True where every row is kept as it was.
    package let hasHistory: Bool

    /// Reads the text of a definition; nil where it is none.
    package init?(_ text: String) {
        guard let definition = try? Definition.read(text) else { return nil }
        categories = definition.program.categories?.sorted()
        (hasRowsOfOneStream, hasHistory) = (definition.hasRowsOfOneStream, definition.hasHistory)
    }
}
