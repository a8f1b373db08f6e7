/// A checked story; only `PostStoryForm` makes one.
package struct PostStory: Equatable, Sendable {
    /// The ID that the client chose; nil where the store chooses one.
    package let id: Identifier?
    /// The event that the form produces.
    package let event: StoryPosted

    fileprivate init(id: Identifier?, event: StoryPosted) {
        self.id = id
        self.event = event
    }
}

/// The form of `POST stories`.
package struct PostStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, title, message, sender, recipient, date }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the story, or every wrong field.
    package func build(in directory: any Directory) -> Result<PostStory, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let id = reader.identifier(.id)
        let title = reader.required(.title, reader.line(.title, limit: StoryLimits.title))
        let message = reader.required(.message, reader.text(.message, limit: StoryLimits.message))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let date = reader.date(.date)
        guard let title, let message, let sender, let recipient else { return reader.finish(nil) }
        let event = StoryPosted(title: title, message: message, sender: sender, recipient: recipient, date: date)
        return reader.finish(PostStory(id: id, event: event))
    }
}

/// A checked revision of a story; only `ReviseStoryForm` makes one.
package struct ReviseStory: Equatable, Sendable {
    /// The event that the form produces.
    package let event: StoryRevised

    fileprivate init(event: StoryRevised) { self.event = event }
}

/// The form of `EDIT stories/ID`.
package struct ReviseStoryForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case title, message }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the revision, or every wrong field.
    package func build(in directory: any Directory) -> Result<ReviseStory, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let event = StoryRevised(
            title: reader.line(.title, limit: StoryLimits.title),
            message: reader.text(.message, limit: StoryLimits.message))
        return reader.finish(ReviseStory(event: event))
    }
}

/// A checked like or its removal; only `LikeForm` makes one.
package struct LikeStory: Equatable, Sendable {
    /// The ID of the user who likes the story.
    package let user: Identifier

    fileprivate init(user: Identifier) { self.user = user }
}

/// The form of `LIKE stories/ID` and `UNLIKE stories/ID`.
package struct LikeForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case user }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the like, or every wrong field.
    package func build(in directory: any Directory) -> Result<LikeStory, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let user = reader.required(.user, reader.identifier(.user, of: .users, in: directory))
        return reader.finish(user.map(LikeStory.init))
    }
}

/// The limits of a story's fields.
package enum StoryLimits {
    /// The maximum length of a title, in characters.
    package static let title = 120
    /// The maximum length of a story's message, in characters.
    package static let message = 10_000
}
