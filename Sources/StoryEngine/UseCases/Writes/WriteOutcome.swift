import StoryCore

/// What a write comes to, before anything is appended.
enum WriteOutcome: Equatable {
    /// These events are to be appended to one stream.
    case happened(Happening)
    case unchanged(id: Identifier?, StreamName, StreamsModel.Head)
    /// The key was seen before with the same request.
    case repeated(Receipt)
    case refused(Failure)
}

/// Events for one stream, not yet placed in the log.
struct Happening: Equatable {
    let id: Identifier?
    let stream: StreamName
    /// How far the stream is now; nil when it is new.
    let head: StreamsModel.Head?
    let events: [(body: EventBody, meta: [UInt8]?)]
    let key: RequestKey?

    static func == (left: Happening, right: Happening) -> Bool {
        left.id == right.id && left.stream == right.stream && left.head == right.head && left.key == right.key
            && left.events.elementsEqual(right.events) { $0.body == $1.body && $0.meta == $1.meta }
    }
}
