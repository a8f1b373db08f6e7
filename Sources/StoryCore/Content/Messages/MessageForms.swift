/// The form of `POST messages`.
package enum SendMessageForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, text, sender, recipient, story, date }

    /// Reads the fields of the form.
    package static func read(
        _ reader: inout FormReader<FieldID>, in directory: any Directory
    ) -> Command<MessageEvent>? {
        reader.takeGivenID(.id)
        let text = reader.required(.text, reader.text(.text, limit: MessageLimits.text))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let story = reader.identifier(.story, of: .stories, in: directory)
        let date = reader.date(.date)
        guard let text, let sender, let recipient else { return nil }
        let event = MessageSent(text: text, sender: sender, recipient: recipient, story: story, date: date)
        return reader.command(.sent(event))
    }
}

extension Command<MessageEvent> {
    /// Returns the command of a write, or every wrong field of its form; nil when a message takes no such write.
    package static func made(by action: ContentAction, in directory: any Directory) -> Result<Command, Failure>? {
        switch action {
        case .post(let fields): SendMessageForm.command(fields, in: directory)
        case .see: .success(Command(withoutFields: .seen))
        case .delete: .success(Command(withoutFields: .deleted))
        case .edit, .like, .unlike: nil
        }
    }
}

/// The limits of a message's fields.
package enum MessageLimits {
    /// The maximum length of a message's text, in characters.
    package static let text = 10_000
}
