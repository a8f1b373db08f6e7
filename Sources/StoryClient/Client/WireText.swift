import StoryCore

/// How a target or an option's value is spelled in a request line.
package enum WireText {
    /// The bytes besides those of IDs that have no meaning of their own on the wire, wherever in a word they are.
    private static let marks = "/:,@*+".utf8

    /// The text as it is where it reads as one word, else as a JSON string.
    package static func spelled(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { Alphabet.holds($0) || marks.contains($0) }
        return isPlain ? text : JSONText.quoted(text)
    }
}
