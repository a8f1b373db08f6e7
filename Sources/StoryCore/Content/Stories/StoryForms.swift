/// The form of `POST stories`.
package enum PostStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, title, message, sender, recipient, date }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> StoryPosted? {
        reader.takeGivenID(.id)
        let title = reader.required(.title, reader.line(.title, limit: StoryLimits.title))
        let message = reader.required(.message, reader.text(.message, limit: StoryLimits.message))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let date = reader.date(.date)
        guard let title, let message, let sender, let recipient else { return nil }
        return StoryPosted(title: title, message: message, sender: sender, recipient: recipient, date: date)
    }
}

/// The form of `EDIT stories/ID`.
package enum ReviseStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case title, message }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> StoryRevised? {
        StoryRevised(
            title: reader.line(.title, limit: StoryLimits.title),
            message: reader.text(.message, limit: StoryLimits.message))
    }
}

/// The form of `LIKE stories/ID` and `UNLIKE stories/ID`.
package enum LikeForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case user }

    /// Reads the ID of the user who likes the story.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Identifier? {
        reader.required(.user, reader.identifier(.user, of: .users, in: directory))
    }
}

extension StoryEvent {
    /// Returns the event that a write asks for, or every wrong field of its form; nil when a story takes no such write.
    static func asked(
        by action: ContentAction, in directory: any Directory
    ) -> Result<Checked<StoryEvent>, Failure>? {
        switch action {
        case .post(let fields): PostStoryForm.command(fields, in: directory) { .posted($0) }
        case .edit(let fields): ReviseStoryForm.command(fields, in: directory) { .revised($0) }
        case .like(let fields): LikeForm.command(fields, in: directory) { .liked(by: $0) }
        case .unlike(let fields): LikeForm.command(fields, in: directory) { .unliked(by: $0) }
        case .delete: .success(Checked(withoutFields: .deleted))
        case .see: nil
        }
    }
}

/// The limits of a story's fields.
package enum StoryLimits {
    /// The maximum length of a title, in characters.
    package static let title = 120
    /// The maximum length of a story's message, in characters.
    package static let message = 10_000
}
