import StoryCore
import StoryLog
import StoryModels
import StoryStorage
import StoryWire

/// A log folded anew. The two halves of the fold run on two threads: one reads and decodes the log and folds where
/// events are, the other folds what they say.
final class FoldedModels: FoldedDigests {
    private let place: DigestingStore
    private let content: DigestingStore

    private init(_ place: DigestingStore, _ content: DigestingStore) {
        self.place = place
        self.content = content
    }

    /// Folds everything up to a position.
    ///
    /// - Parameter table: the table whose entries are kept, where otherwise there would be only a digest of them.
    static func fold(
        _ log: any EventLog, through: Position, keeping table: Table? = nil,
        progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) -> FoldedModels {
        let place = DigestingStore(keeping: table)
        let batches = BatchQueue<Event>()
        let content = BackgroundJob<ContentFold>({ ContentFold(batches, keeping: table) }, whenDone: {})
        // Without its thread nobody would take the batches.
        if case .failure(let error)? = content.result { throw error }
        let projector = Projector(place)
        let decoder = EventDecoder()
        do throws(StorageError) {
            if through > .zero {
                try log.scan(from: Position(1), through: through, order: .ascending) { record in
                    let event = decoder.decode(record)
                    projector.foldPlace(event)
                    batches.add(event)
                    if record.position.value % 16_384 == 0 { progress(record.position, through) }
                    return true
                }
            }
            batches.end()
        } catch {
            batches.end()
            _ = content.wait()
            throw error
        }
        progress(through, through)
        return FoldedModels(place, try content.wait().get().store)
    }

    func digest(of table: Table, in model: Model) -> ModelDigest { store(of: model).digest(of: table) }

    /// Every entry of a table, in order; nil where there is only a digest.
    func entries(of table: Table, in model: Model) -> [(key: [UInt8], value: [UInt8])]? {
        store(of: model).entries(of: table)
    }

    func row<P: Projection>(_ projection: P.Type, _ number: StreamNumber) -> P.Row? {
        Rows.row(P.self, number, in: content)
    }

    private func store(of model: Model) -> DigestingStore {
        switch model {
        case .streams, .keys: place
        case .users, .stories, .likes, .messages, .photos: content
        }
    }
}

/// The half of the fold that runs beside the reading.
///
/// Unchecked: it is made on its own thread, and looked at by the other only after that thread is done with it.
private final class ContentFold: @unchecked Sendable {
    let store: DigestingStore

    init(_ batches: BatchQueue<Event>, keeping table: Table?) {
        store = DigestingStore(keeping: table)
        let projector = Projector(store)
        var batch: [Event] = []
        while let next = batches.next(after: batch) {
            for event in next { projector.foldContent(event) }
            batch = next
        }
    }
}
