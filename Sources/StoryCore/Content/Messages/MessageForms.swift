/// The form of `POST messages`.
package enum SendMessageForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, text, sender, recipient, story, date }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> MessageSent? {
        reader.takeGivenID(.id)
        let text = reader.required(.text, reader.text(.text, limit: MessageLimits.text))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let story = reader.identifier(.story, of: .stories, in: directory)
        let date = reader.date(.date)
        guard let text, let sender, let recipient else { return nil }
        return MessageSent(text: text, sender: sender, recipient: recipient, story: story, date: date)
    }
}

extension MessageEvent {
    /// Returns the event that a write asks for, or every wrong field of its form; nil when a message takes no such write.
    static func asked(
        by action: ContentAction, in directory: any Directory
    ) -> Result<Checked<MessageEvent>, Failure>? {
        switch action {
        case .post(let fields): SendMessageForm.command(fields, in: directory) { .sent($0) }
        case .see: .success(Checked(withoutFields: .seen))
        case .delete: .success(Checked(withoutFields: .deleted))
        case .edit, .like, .unlike: nil
        }
    }
}

/// The limits of a message's fields.
package enum MessageLimits {
    /// The maximum length of a message's text, in characters.
    package static let text = 10_000
}
