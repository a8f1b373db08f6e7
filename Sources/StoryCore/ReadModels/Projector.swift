/// Folds events into every read model, one after the other, in the order of their positions.
///
/// It is all there is between the log and an answer: the daemon, its recovery and `storectl replay` use this one.
package struct Projector {
    /// Whether index entries are kept up with each event, or written once, at the end, by `indexAll`.
    package enum Indexing: Sendable { case eachEvent, atTheEnd }

    private let store: any ModelStore
    private let indexing: Indexing

    package init(_ store: any ModelStore, indexing: Indexing = .eachEvent) {
        self.store = store
        self.indexing = indexing
    }

    package func fold(_ event: Event) {
        StreamsModel.fold(event, in: store)
        KeysModel.fold(event, in: store)
        switch event.body {
        case .user(let happening):
            let (old, new) = apply(UserProjection.self, event) { UserFold.fold(happening, of: event, into: $0) }
            EmailsModel.fold(from: old, to: new, in: store)
        case .story(let happening):
            apply(StoryProjection.self, event) { StoryFold.fold(happening, of: event, into: $0) }
            LikesModel.fold(happening, of: event, in: store)
        case .message(let happening):
            apply(MessageProjection.self, event) { MessageFold.fold(happening, of: event, into: $0) }
        case .photo(let happening):
            apply(PhotoProjection.self, event) { PhotoFold.fold(happening, of: event, into: $0) }
        case .custom: break
        }
    }

    @discardableResult
    private func apply<P: Projection>(
        _ projection: P.Type, _ event: Event, _ fold: (P.Row?) -> P.Row?
    ) -> (old: P.Row?, new: P.Row?) {
        // The first event of a stream has no row before it: no need to look.
        let old = event.version == Version(1) ? nil : Rows.row(P.self, event.streamNumber, in: store)
        let new = fold(old)
        P.apply(from: old, to: new, in: store, indexing: indexing == .eachEvent)
        return (old, new)
    }

    /// Writes the index entries of every row there is; for a projector that left them for the end.
    package func indexAll() {
        indexAll(UserProjection.self)
        indexAll(StoryProjection.self)
        indexAll(MessageProjection.self)
        indexAll(PhotoProjection.self)
    }

    private func indexAll<P: Projection>(_ projection: P.Type) {
        var rows: [P.Row] = []
        store.scan(P.rows, KeyRange(), .ascending) { key, value in
            if let number = KeyReader.lastNumber(key), let row = P.decode(value, number: number) { rows.append(row) }
            return true
        }
        for row in rows { P.apply(from: nil, to: row, in: store, indexing: true) }
    }
}

/// Reads rows of any kind.
package enum Rows {
    package static func row<P: Projection>(
        _ projection: P.Type, _ number: StreamNumber, in store: any ModelStore
    ) -> P.Row? {
        store.value(in: P.rows, at: KeyWriter.number(number)).flatMap { P.decode($0, number: number) }
    }

    /// A row of a kind that is known only when the program runs.
    package static func row(_ kind: Kind, _ number: StreamNumber, in store: any ModelStore) -> Row? {
        switch kind {
        case .users: row(UserProjection.self, number, in: store).map(Row.user)
        case .stories: row(StoryProjection.self, number, in: store).map(Row.story)
        case .messages: row(MessageProjection.self, number, in: store).map(Row.message)
        case .photos: row(PhotoProjection.self, number, in: store).map(Row.photo)
        }
    }
}
