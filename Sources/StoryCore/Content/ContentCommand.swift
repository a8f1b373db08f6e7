/// A valid command for content of one of the kinds, made by its form.
package enum ContentCommand: Equatable, Sendable {
    case user(Command<UserEvent>)
    case story(Command<StoryEvent>)
    case message(Command<MessageEvent>)
    case photo(Command<PhotoEvent>)

    /// The ID that the client chose for new content.
    package var givenID: Identifier? {
        switch self {
        case .user(let command): command.givenID
        case .story(let command): command.givenID
        case .message(let command): command.givenID
        case .photo(let command): command.givenID
        }
    }

    /// The event that the command produces.
    package var event: EventBody {
        switch self {
        case .user(let command): .user(command.event)
        case .story(let command): .story(command.event)
        case .message(let command): .message(command.event)
        case .photo(let command): .photo(command.event)
        }
    }

    /// Returns the decision on the command in the current state.
    ///
    /// - Throws: the error of reading a row.
    package func decision(on subject: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Decision {
        switch self {
        case .user(let command): try UserDecider.decide(command, on: subject, in: rows)
        case .story(let command): try StoryDecider.decide(command, on: subject, in: rows)
        case .message(let command):
            MessageDecider.decide(command, on: try rows.existence(of: subject) { MessageFields($0) })
        case .photo(let command):
            PhotoDecider.decide(command, on: try rows.existence(of: subject) { PhotoFields($0) })
        }
    }
}

/// A write of content as the client asks for it, before any form is checked.
package enum ContentAction: Equatable, Sendable {
    case post(FormFields)
    case edit(FormFields)
    case like(FormFields)
    case unlike(FormFields)
    case see
    case delete

    /// The verb that asks for the action.
    package var verb: WriteVerb {
        switch self {
        case .post: .post
        case .edit: .edit
        case .like: .like
        case .unlike: .unlike
        case .see: .see
        case .delete: .delete
        }
    }
}

extension ContentAction {
    /// The fields of its form; none without a form.
    fileprivate var fields: FormFields {
        switch self {
        case .post(let fields), .edit(let fields), .like(let fields), .unlike(let fields): fields
        case .see, .delete: []
        }
    }
}

/// A write of content with its target, taken from the request.
package struct ContentWrite: Equatable, Sendable {
    /// The kind of the content.
    package let kind: Kind
    /// The ID of the content; nil for new content.
    package let id: Identifier?
    /// The action with its form.
    package let action: ContentAction
    /// The options of the write.
    package let options: WriteOptions

    package init(kind: Kind, id: Identifier?, action: ContentAction, options: WriteOptions) {
        self.kind = kind
        self.id = id
        self.action = action
        self.options = options
    }

    /// Returns the command, or every wrong field of its form.
    ///
    /// - Parameter schema: the schema of the write's kind.
    package func command(
        of schema: KindSchema, in directory: any Directory
    ) -> Result<ContentCommand, Failure> {
        schema.write(action.verb)?.command?(action.fields, directory)
            ?? .failure(Failure(.unknown, "\(schema.name) take no such request", .name(schema.name, nearest: nil)))
    }
}
