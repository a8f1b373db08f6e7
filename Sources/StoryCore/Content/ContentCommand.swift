/// A valid intent for one of the kinds: what a request became by its form.
package enum ContentCommand: Equatable, Sendable {
    case user(UserCommand)
    case story(StoryCommand)
    case message(MessageCommand)
    case photo(PhotoCommand)

    /// The ID that the client chose for something new.
    package var givenID: Identifier? {
        switch self {
        case .user(let command): command.givenID
        case .story(let command): command.givenID
        case .message(let command): command.givenID
        case .photo(let command): command.givenID
        }
    }

    /// The event that carrying it out makes.
    package var event: EventBody {
        switch self {
        case .user(let command): .user(command.event)
        case .story(let command): .story(command.event)
        case .message(let command): .message(command.event)
        case .photo(let command): .photo(command.event)
        }
    }

    /// What carrying it out comes to, as things are.
    ///
    /// - Throws: what reading failed with.
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
