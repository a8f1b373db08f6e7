/// The fact that an event records.
package enum EventBody: Equatable, Sendable {
    case user(UserEvent)
    case story(StoryEvent)
    case message(MessageEvent)
    case photo(PhotoEvent)
    case model(ModelEvent)
    /// A custom event, or one of a type that this program does not know: stored, not folded.
    case custom(EventType, data: ByteView)
}

extension EventBody {
    /// The type that the event is written with.
    package var type: EventType {
        switch self {
        case .user(let event): event.type
        case .story(let event): event.type
        case .message(let event): event.type
        case .photo(let event): event.type
        case .model(let event): event.type
        case .custom(let type, data: _): type
        }
    }

    /// Writes the members of the event's data.
    package func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .user(let event): event.write(to: &members)
        case .story(let event): event.write(to: &members)
        case .message(let event): event.write(to: &members)
        case .photo(let event): event.write(to: &members)
        case .model(let event): event.write(to: &members)
        case .custom(_, let data): members.whole(data)
        }
    }
}
