/// A checked message; only `SendMessageForm` makes one.
package struct SendMessage: Equatable, Sendable {
    /// The ID that the client chose; nil where the store chooses one.
    package let id: Identifier?
    /// The event that the form produces.
    package let event: MessageSent

    fileprivate init(id: Identifier?, event: MessageSent) {
        self.id = id
        self.event = event
    }
}

/// The form of `POST messages`.
package struct SendMessageForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, text, sender, recipient, story, date }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the message, or every wrong field.
    package func build(in directory: any Directory) -> Result<SendMessage, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let id = reader.identifier(.id)
        let text = reader.required(.text, reader.text(.text, limit: MessageLimits.text))
        let sender = reader.required(.sender, reader.identifier(.sender, of: .users, in: directory))
        let recipient = reader.required(.recipient, reader.identifier(.recipient, of: .users, in: directory))
        let story = reader.identifier(.story, of: .stories, in: directory)
        let date = reader.date(.date)
        guard let text, let sender, let recipient else { return reader.finish(nil) }
        let event = MessageSent(text: text, sender: sender, recipient: recipient, story: story, date: date)
        return reader.finish(SendMessage(id: id, event: event))
    }
}

/// The limits of a message's fields.
package enum MessageLimits {
    /// The maximum length of a message's text, in characters.
    package static let text = 10_000
}
