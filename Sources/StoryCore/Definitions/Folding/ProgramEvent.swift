/// An event that programs fold. It owns nothing: all of it is valid as long as the memory of its reader.
package struct ProgramEvent: BitwiseCopyable {
    /// The name of the stream.
    package var stream: UnsafeRawBufferPointer
    /// The length of the category, in bytes; the ID begins one byte later.
    package var categoryCount: Int
    package var type: UnsafeRawBufferPointer
    package var position: Position
    package var version: Version
    package var time: Instant
    /// The uid of the process that wrote the event; nil where it is unknown.
    package var by: UInt32?
    /// The values at the paths of all programs that share a reader.
    package var values: UnsafePointer<EventValue>

    /// Creates an event.
    package init(
        stream: UnsafeRawBufferPointer, categoryCount: Int, type: UnsafeRawBufferPointer, position: Position,
        version: Version, time: Instant, by: UInt32?, values: UnsafePointer<EventValue>
    ) {
        self.stream = stream
        self.categoryCount = categoryCount
        self.type = type
        self.position = position
        self.version = version
        self.time = time
        self.by = by
        self.values = values
    }

    /// The category of the stream.
    package var category: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: stream[..<categoryCount]) }
    /// The part of the stream's name behind the first `-`.
    var id: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: stream[min(categoryCount + 1, stream.count)...]) }

    subscript(attribute: EventAttribute) -> ModelValue {
        switch attribute {
        case .id: .text(id)
        case .stream: .text(stream)
        case .category: .text(category)
        case .type: .text(type)
        case .time: .time(time)
        case .by: by.map { ModelValue(ModelNumber($0)) } ?? .missing
        case .position: ModelValue(ModelNumber(position.value))
        case .version: ModelValue(ModelNumber(version.value))
        // A path of its own, as it is read from the event.
        case .tags: .missing
        }
    }
}

/// The rows and the notes of a model before an event.
package protocol ModelMemory: AnyObject {
    /// Reads the row of a key.
    ///
    /// - Parameters:
    ///   - key: as `ModelKey` has it.
    ///   - values: one for each field, all missing. Bytes that do not stay valid until the fold's
    ///     changes are taken are copied into `memory`.
    func readRow(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence

    /// Reads the note record of a key, in the same way.
    func readNote(
        _ key: UnsafeRawBufferPointer, into values: UnsafeMutablePointer<ModelValue>, _ memory: FoldMemory
    ) -> StoredPresence
}

/// The result of reading a row or a note record.
package enum StoredPresence: BitwiseCopyable, Sendable {
    case found, absent
    /// It could not be read. The fold ends, and the memory has the error.
    case failed
}

/// The result of an event for one model.
package enum FoldOutcome: BitwiseCopyable {
    /// The program has no rule for the event.
    case noRule
    /// The event did not fit; it changes nothing.
    case misfit(Misfit)
    case changes(ModelChanges)
    /// A row or a note could not be read.
    case failed
}

/// The changes of one event, each row and each note once; valid until the next fold.
package struct ModelChanges: BitwiseCopyable {
    /// The rows that differ, in the order in which the event first changed them.
    package let rows: UnsafeBufferPointer<RowDifference>
    /// The note records that the event set.
    package let notes: UnsafeBufferPointer<NoteDifference>
}

/// A row that an event made, changed or removed.
package struct RowDifference: BitwiseCopyable {
    /// The key, as `ModelKey` has it.
    package let key: UnsafeRawBufferPointer
    /// The values before the event; nil where there was no row.
    package let before: UnsafePointer<ModelValue>?
    /// The values after the event; nil where the row is removed.
    package let after: UnsafePointer<ModelValue>?
    /// A bit for each field that differs; all bits for a row that was made or removed.
    package let fields: UInt64
}

/// A note record that an event set.
package struct NoteDifference: BitwiseCopyable {
    /// The key.
    package let key: UnsafeRawBufferPointer
    /// The values after the event; nil where no value is left.
    package let after: UnsafePointer<ModelValue>?
}

/// A reader of the events that programs fold.
package protocol EventReading: AnyObject {
    /// Reads the parts of an event that programs look at.
    ///
    /// - Returns: the event with the values of the first program; nil where it was erased. It is valid until the next
    ///   event is read, and as long as the record and the paths. `EventPaths.values(of:)` has those of other programs.
    func read(_ record: EventRecord, _ paths: EventPaths) -> ProgramEvent?
}
