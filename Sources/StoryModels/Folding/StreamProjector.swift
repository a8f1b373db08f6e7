package import StoryCore

/// Folds a log stream by stream instead of event by event, by the same folds and projections as `Projector`.
///
/// Rows depend on the events of their own streams alone, and the entries of indexes and the counts on the rows. So a
/// stream's row is folded to its end first, and only the last one is projected. The order of streams does not matter.
/// It puts an
/// entry once, likes apart, and removes only likes.
///
/// Two things stand between the streams. The positions of categories are folded apart, in their order
/// (`CategoryProjector`), and so are request keys (`KeysModel`). And of two users with one address, which no decider lets in, the later would have it
/// here in the order of the streams: a sink of this projector has to notice.
package struct StreamProjector: ~Copyable {
    private let target: SinkTarget
    private var scratch = FoldScratch { ScratchBytes() }
    /// The row of the stream so far.
    private var row = LentRow.none

    package init(_ sink: any EntrySink) { target = SinkTarget(sink: sink) }

    deinit { scratch.free() }

    /// Folds the next event of the stream.
    package mutating func fold(_ event: LentEvent, _ body: LentBody) {
        scratch.places.number(event.position.value)
        if event.version.value % StreamsModel.chunk == 0 {
            StreamsModel.putPositions(of: event.streamNumber, through: event.version, in: target, &scratch)
        }
        switch body {
        case .user(let happening):
            row = UserFold.fold(happening, of: event, into: row.user).map { .user($0) } ?? .none
        case .story(let happening):
            row = StoryFold.fold(happening, of: event, into: row.story).map { .story($0) } ?? .none
            LikesModel.fold(happening, of: event, in: target, &scratch)
        case .message(let happening):
            row = MessageFold.fold(happening, of: event, into: row.message).map { .message($0) } ?? .none
        case .photo(let happening):
            row = PhotoFold.fold(happening, of: event, into: row.photo).map { .photo($0) } ?? .none
        case .custom: break
        }
    }

    /// The stream has no more events.
    package mutating func end(_ name: BorrowedBytes, _ head: StreamsModel.Head) {
        StreamsModel.putHead(head, name.bytes, in: target, &scratch)
        if head.version.value % StreamsModel.chunk != 0 {
            StreamsModel.putPositions(of: head.number, through: head.version, in: target, &scratch)
        }
        switch row {
        case .none: return
        case .user(let user):
            UserProjectionOf.insert(user, in: target, &scratch)
            EmailsModel.fold(from: nil, to: user, in: target, &scratch)
        case .story(let story): StoryProjectionOf.insert(story, in: target, &scratch)
        case .message(let message): MessageProjectionOf.insert(message, in: target, &scratch)
        case .photo(let photo): PhotoProjectionOf.insert(photo, in: target, &scratch)
        }
        row = .none
    }
}

/// A row of any kind. The events of one stream are of one kind.
private enum LentRow {
    case none
    case user(UserRowOf<Borrowed>)
    case story(StoryRowOf<Borrowed>)
    case message(MessageRowOf<Borrowed>)
    case photo(PhotoRowOf<Borrowed>)

    var user: UserRowOf<Borrowed>? { if case .user(let row) = self { row } else { nil } }
    var story: StoryRowOf<Borrowed>? { if case .story(let row) = self { row } else { nil } }
    var message: MessageRowOf<Borrowed>? { if case .message(let row) = self { row } else { nil } }
    var photo: PhotoRowOf<Borrowed>? { if case .photo(let row) = self { row } else { nil } }
}
