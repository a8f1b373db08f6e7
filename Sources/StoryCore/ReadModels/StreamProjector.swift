/// Folds a log stream by stream instead of event by event, by the same folds and projections as `Projector`.
///
/// Rows depend on the events of their own streams alone, and the entries of indexes and the counts on the rows. So a
/// stream's row is folded to its end first, and only the last one is projected. The order of streams does not matter.
/// It puts an
/// entry once, likes apart, and removes only likes.
///
/// Two things stand between the streams. The numbers of categories are given by whoever calls; request keys are
/// folded apart (`KeysModel`). And of two users with one address, which no decider lets in, the later would have it
/// here in the order of the streams: a sink of this projector has to notice.
package struct StreamProjector: ~Copyable {
    private let target: SinkTarget
    private var scratch = FoldScratch { ScratchBytes() }
    private var user: UserRowOf<Borrowed>?
    private var story: StoryRowOf<Borrowed>?
    private var message: MessageRowOf<Borrowed>?
    private var photo: PhotoRowOf<Borrowed>?

    package init(_ sink: any EntrySink) { target = SinkTarget(sink: sink) }

    deinit { scratch.free() }

    /// Folds the next event of the stream.
    ///
    /// - Parameter category: the number of the stream's category.
    package mutating func fold(_ event: LentEvent, _ body: LentBody, category: UInt64) {
        let head = StreamsModel.Head(number: event.streamNumber, version: event.version, position: event.position)
        StreamsModel.putPlace(head, category, in: target, &scratch)
        switch body {
        case .user(let happening): user = UserFold.fold(happening, of: event, into: user)
        case .story(let happening):
            story = StoryFold.fold(happening, of: event, into: story)
            LikesModel.fold(happening, of: event, in: target, &scratch)
        case .message(let happening): message = MessageFold.fold(happening, of: event, into: message)
        case .photo(let happening): photo = PhotoFold.fold(happening, of: event, into: photo)
        case .custom: break
        }
    }

    /// The stream has no more events.
    package mutating func end(_ name: BorrowedBytes, _ head: StreamsModel.Head) {
        StreamsModel.putName(name.bytes, head.number, in: target, &scratch)
        StreamsModel.putHead(head, in: target, &scratch)
        if let user = user.take() {
            UserProjectionOf.apply(from: nil, to: user, in: target, &scratch)
            EmailsModel.fold(from: nil, to: user, in: target, &scratch)
        }
        if let story = story.take() { StoryProjectionOf.apply(from: nil, to: story, in: target, &scratch) }
        if let message = message.take() { MessageProjectionOf.apply(from: nil, to: message, in: target, &scratch) }
        if let photo = photo.take() { PhotoProjectionOf.apply(from: nil, to: photo, in: target, &scratch) }
    }
}

/// An event in the log, for as long as the log lends its bytes.
package struct LentEvent: Occurrence {
    package typealias Held = Borrowed

    package let position: Position
    package let streamNumber: StreamNumber
    package let version: Version
    package let time: Instant
    package let id: BorrowedBytes

    @inlinable
    @inline(__always)
    package init(position: Position, streamNumber: StreamNumber, version: Version, time: Instant, id: BorrowedBytes) {
        self.position = position
        self.streamNumber = streamNumber
        self.version = version
        self.time = time
        self.id = id
    }
}

/// What happened in such an event.
package enum LentBody: Equatable, Sendable {
    case user(UserEventOf<Borrowed>)
    case story(StoryEventOf<Borrowed>)
    case message(MessageEventOf<Borrowed>)
    case photo(PhotoEventOf<Borrowed>)
    /// Kept, not folded.
    case custom
}
