/// The fields of a story that a decision looks at.
package struct StoryFields: Equatable, Sendable {
    /// The title of the story.
    package let title: Text
    /// The text of the story.
    package let message: Text

    /// Creates the fields from a story's row.
    package init(_ row: RowView) {
        title = Text(Array(row.text(StorySchema.Field.title)))
        message = Text(Array(row.text(StorySchema.Field.message)))
    }
}
