import StoryCore

/// The spelling of targets and option values in a request line.
package enum WireText {
    /// The bytes, besides those of IDs, that have no special meaning on the wire anywhere in a word.
    private static let marks = "/:,@*+".utf8

    /// Returns the text as it is if it reads as one word, else as a JSON string.
    package static func spelled(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { Alphabet.holds($0) || marks.contains($0) }
        return isPlain ? text : JSONText.quoted(text)
    }
}
