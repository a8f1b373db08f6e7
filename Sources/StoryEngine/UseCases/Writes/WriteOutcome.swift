import StoryCore
import StoryModels

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
    let events: [EventProposal]
    let key: RequestKey?
}
