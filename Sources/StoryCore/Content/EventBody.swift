/// What happened.
package enum EventBody: Equatable, Sendable {
    case user(UserEvent)
    case story(StoryEvent)
    case message(MessageEvent)
    case photo(PhotoEvent)
    /// An event of the users' own, or of a type that this program does not know: kept, not folded.
    case custom(EventType, data: ByteView)
}

extension EventBody {
    /// The type that it is written with.
    package var type: EventType {
        switch self {
        case .user(let event): event.type
        case .story(let event): event.type
        case .message(let event): event.type
        case .photo(let event): event.type
        case .custom(let type, data: _): type
        }
    }

    /// Tells what it is written with as its data.
    package func write(to members: inout some EventMembers) {
        switch self {
        case .user(let event): event.write(to: &members)
        case .story(let event): event.write(to: &members)
        case .message(let event): event.write(to: &members)
        case .photo(let event): event.write(to: &members)
        case .custom(_, let data): members.whole(data)
        }
    }
}
