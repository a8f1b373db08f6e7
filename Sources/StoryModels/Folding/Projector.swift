package import StoryCore

/// Folds events into every read model, one after the other, in the order of their positions.
///
/// It is all there is between the log and an answer: the daemon, its recovery and `storectl replay` use this one. It
/// remembers what it has seen in the store, so a store that is taken back wants a new one.
package final class Projector {
    private let store: any ModelStore
    private let categories = CategoryPlaces()
    private let changes: RowChanges?
    private var scratch = FoldScratch<[UInt8]> { [] }

    /// - Parameter changes: who is told of the changes of rows; nil: nobody.
    package init(_ store: any ModelStore, telling changes: RowChanges? = nil) {
        self.store = store
        self.changes = changes
    }

    package func fold(_ event: Event) {
        foldPlace(event)
        foldContent(event)
    }

    /// Folds into the models that say where events are: `streams` and `keys`. They share no table with the others, so
    /// the two halves of a fold may run beside each other, each in its own store.
    package func foldPlace(_ event: Event) {
        StreamsModel.fold(event, categories, in: store, &scratch)
        if let key = event.key { KeysModel.fold(key, at: event.position, in: store) }
    }

    /// Folds an event of the users' own that has no key: all that the models have of it is where it stands.
    ///
    /// - Parameters:
    ///   - name: the stream's name.
    ///   - categoryCount: how many of its bytes stand before the dash.
    package func foldPlace(_ head: StreamsModel.Head, _ name: UnsafeRawBufferPointer, categoryCount: Int) {
        StreamsModel.fold(head, name, categoryCount, categories, in: store, &scratch)
    }

    /// Folds into the models of what events say: `users`, `stories`, `likes`, `messages`, `photos`.
    package func foldContent(_ event: Event) {
        let target = StoreTarget(store: store)
        switch event.body {
        case .user(let happening):
            let old = previous(UserProjection.self, event)
            let new = UserFold.fold(happening, of: event, into: old)
            UserProjection.apply(from: old, to: new, in: target, &scratch)
            EmailsModel.fold(from: old, to: new, in: target, &scratch)
            publish(UserProjection.self, event, old, new)
        case .story(let happening):
            let old = previous(StoryProjection.self, event)
            let new = StoryFold.fold(happening, of: event, into: old)
            StoryProjection.apply(from: old, to: new, in: target, &scratch)
            LikesModel.fold(happening, of: event, in: target, &scratch)
            publish(StoryProjection.self, event, old, new)
        case .message(let happening):
            let old = previous(MessageProjection.self, event)
            let new = MessageFold.fold(happening, of: event, into: old)
            MessageProjection.apply(from: old, to: new, in: target, &scratch)
            publish(MessageProjection.self, event, old, new)
        case .photo(let happening):
            let old = previous(PhotoProjection.self, event)
            let new = PhotoFold.fold(happening, of: event, into: old)
            PhotoProjection.apply(from: old, to: new, in: target, &scratch)
            publish(PhotoProjection.self, event, old, new)
        case .custom: break
        }
    }

    private func publish<P: Projection>(_ projection: P.Type, _ event: Event, _ old: P.Row?, _ new: P.Row?) {
        guard let changes, !changes.isUnobserved else { return }
        changes.publish(
            RowChange(kind: P.kind, number: event.streamNumber, before: old.map(P.wrapped), after: new.map(P.wrapped)))
    }

    /// The row before the event. The first event of a stream has none: no need to look.
    private func previous<P: Projection>(_ projection: P.Type, _ event: Event) -> P.Row? {
        event.version == Version(1) ? nil : Rows.row(P.self, event.streamNumber, in: store)
    }
}

/// Reads rows of any kind.
package enum Rows {
    package static func row<P: Projection>(
        _ projection: P.Type, _ number: StreamNumber, in store: any ModelStore
    ) -> P.Row? {
        store.value(in: P.rows, at: KeyWriter.number(number)).flatMap { P.decode($0, number: number) }
    }

    /// The record of a row as it lies in its table.
    package static func record(_ kind: Kind, _ number: StreamNumber, in store: any ModelStore) -> RowRecord? {
        var bytes: [UInt8]?
        lend(kind, number, in: store) { bytes = Array($0) }
        return bytes.map { RowRecord(kind: kind, number: number, bytes: $0) }
    }

    /// Lends the same where it lies; false when there is none.
    @discardableResult
    package static func lend(
        _ kind: Kind, _ number: StreamNumber, in store: any ModelStore, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var key = NumberKey(number.value)
        return key.withBytes { store.lend(table(of: kind), at: $0, body) }
    }

    private static func table(of kind: Kind) -> Table {
        switch kind {
        case .users: UserProjection.rows
        case .stories: StoryProjection.rows
        case .messages: MessageProjection.rows
        case .photos: PhotoProjection.rows
        }
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
