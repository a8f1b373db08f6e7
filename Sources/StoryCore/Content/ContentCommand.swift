/// A valid command for one of the kinds, made by its form.
package enum ContentCommand: Equatable, Sendable {
    case user(UserCommand)
    case story(StoryCommand)
    case message(MessageCommand)
    case photo(PhotoCommand)

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
    package func decision(
        on subject: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Decision<EventBody> {
        switch self {
        case .user(let command): try command.decision(on: subject, in: rows).map(EventBody.user)
        case .story(let command): try command.decision(on: subject, in: rows).map(EventBody.story)
        case .message(let command): try command.decision(on: subject, in: rows).map(EventBody.message)
        case .photo(let command): try command.decision(on: subject, in: rows).map(EventBody.photo)
        }
    }
}
