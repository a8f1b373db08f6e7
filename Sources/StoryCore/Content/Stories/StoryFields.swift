/// What a decision about a story looks at.
package struct StoryFields: Equatable, Sendable {
    package let title: Text
    package let message: Text

    package init(title: Text, message: Text) {
        self.title = title
        self.message = message
    }

    /// - Parameter row: a story's.
    package init(_ row: RowView) {
        self.init(
            title: Text(Array(row.text(StorySchema.Field.title))),
            message: Text(Array(row.text(StorySchema.Field.message))))
    }
}
