import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryWire

/// The builder of the next commit's entry: writes events into the log's memory, and folds each record at once.
final class EntryBuilder {
    /// The outcome of an append.
    enum Outcome {
        /// The event is in the log's memory and in the models.
        case folded
        /// The log took no event.
        case refused(StorageError)
        /// The models are no fold of the log any more.
        case notFolded(StorageError)
    }

    private let log: any EventLog
    private let fold: EventFold
    private var encoder = EventEncoder()
    /// The bytes of the events that the next commit has.
    private(set) var bytes = 0

    init(_ log: any EventLog, _ fold: EventFold) {
        self.log = log
        self.fold = fold
    }

    /// Begins the entry after this one.
    func beginNext() { bytes = 0 }

    /// Appends an event that was decided here.
    ///
    /// - Parameters:
    ///   - cursor: the text of the move of a cursor that is committed with the event; nil where there is none.
    ///   - prior: the state before the event.
    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        cursor: ByteView?, at place: EventMetadata, after prior: PriorState
    ) -> Outcome {
        let header = encoder.write(proposals, index, to: stream, key: key, at: place, cursor: cursor)
        bytes += encoder.json.count
        var failure: StorageError?
        do throws(StorageError) {
            try log.append(header, json: encoder.json) { record in
                do throws(StorageError) { try fold.fold(record, after: prior) } catch { failure = error }
            }
        } catch {
            return .refused(error)
        }
        return failure.map { .notFolded($0) } ?? .folded
    }

    /// Appends the records of an entry that came from elsewhere, as they are.
    ///
    /// - Parameter folded: called after each event was folded.
    /// - Returns: `folded` or `notFolded`.
    /// - Throws: `.corrupt` if the records cannot follow the head; then none was appended.
    func ingest(
        _ records: UnsafeRawBufferPointer, folded: (EventRecord) -> Void
    ) throws(StorageError) -> Outcome {
        var failure: StorageError?
        try log.ingest(records) { record in
            guard failure == nil else { return }
            do throws(StorageError) {
                try fold.fold(record)
                folded(record)
            } catch {
                failure = error
            }
        }
        bytes += records.count
        return failure.map { .notFolded($0) } ?? .folded
    }
}
