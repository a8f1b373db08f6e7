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
