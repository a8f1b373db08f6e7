/// The form of `POST stories`.
package enum PostStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, title, message, sender, recipient, date }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        reader.takeGivenID(.id)
        let title = reader.required(.title, reader.line(.title, limit: StoryLimits.title))
        let message = reader.required(.message, reader.text(.message, limit: StoryLimits.message))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let date = reader.date(.date)
        guard let title, let message, let sender, let recipient else { return nil }
        let event = StoryPosted(title: title, message: message, sender: sender, recipient: recipient, date: date)
        return reader.command(.posted(event))
    }
}

/// The form of `EDIT stories/ID`.
package enum ReviseStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case title, message }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        let event = StoryRevised(
            title: reader.line(.title, limit: StoryLimits.title),
            message: reader.text(.message, limit: StoryLimits.message))
        return reader.command(.revised(event))
    }
}

/// The form of `LIKE stories/ID`.
package enum LikeForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case user }

    /// Reads the ID of the user who likes the story.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        guard let user = reader.liker(in: directory) else { return nil }
        return reader.command(.liked(by: user))
    }
}

/// The form of `UNLIKE stories/ID`.
package enum UnlikeForm: Form {
    /// The fields of the form.
    package typealias FieldID = LikeForm.FieldID

    /// Reads the ID of the user who likes the story no longer.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        guard let user = reader.liker(in: directory) else { return nil }
        return reader.command(.unliked(by: user))
    }
}

extension FormReader<LikeForm.FieldID> {
    fileprivate mutating func liker(in directory: any Directory) -> Identifier? {
        required(.user, identifier(.user, of: .users, in: directory))
    }
}

extension Command<StoryEvent> {
    /// Returns the command of a write, or every wrong field of its form; nil when a story takes no such write.
    package static func made(by action: ContentAction, in directory: any Directory) -> Result<Command, Failure>? {
        switch action {
        case .post(let fields): PostStoryForm.command(fields, in: directory)
        case .edit(let fields): ReviseStoryForm.command(fields, in: directory)
        case .like(let fields): LikeForm.command(fields, in: directory)
        case .unlike(let fields): UnlikeForm.command(fields, in: directory)
        case .delete: .success(Command(withoutFields: .deleted))
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
