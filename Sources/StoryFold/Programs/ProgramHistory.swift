package import StoryCore

/// The fold of the events of one stream into the row that a program makes of it; it keeps only that, and notes.
package final class ProgramHistory: PastRowFold {
    private let model: MemoryModel
    private let schema: KindSchema
    private let key: [UInt8]
    private let events: any EventReading
    private let paths: EventPaths
    /// Makes a reader that nobody else uses.
    private let reader: () -> any EventReading
    /// A long event, which is folded in steps, with the reader that has its values; nil between two events.
    private var long: (copy: RecordCopy, event: ProgramEvent, reader: any EventReading)?

    /// Creates the history of a row, before its first event.
    ///
    /// - Parameters:
    ///   - schema: the schema of the row.
    ///   - key: the key of the row.
    ///   - definition: the definition with the program.
    ///   - events: the reader of the values that the program looks at, which others use as well.
    ///   - reader: makes one for a long event.
    package init(
        _ schema: KindSchema, key: RowKey, by definition: Definition, events: any EventReading,
        reader: @escaping () -> any EventReading
    ) {
        (self.schema, self.events, self.reader) = (schema, events, reader)
        self.key = key.spelling.withUnsafeBytes { Array($0) }
        model = MemoryModel(definition)
        paths = EventPaths([definition.program])
    }

    package func fold(_ record: EventRecord, _ work: inout Work) -> Bool {
        if let event = long?.event {
            guard model.advance(event, &work) else { return false }
            long = nil
            return true
        }
        work -= .fold
        guard let event = events.read(record, paths), model.begin(event) else { return true }
        var left = work
        defer { work = left }
        guard !model.advance(event, &left) else { return true }
        // It begins again, with values that stay.
        let (copy, reader) = (RecordCopy(record), reader())
        guard let event = reader.read(copy.record, paths), model.begin(event) else { return true }
        long = (copy, event, reader)
        return false
    }

    package var row: RowCopy? {
        guard let row = model.row(key) else { return nil }
        var bytes = KeyBuffer()
        model.withRow(row) { ModelRows(schema).write($0, number: 0, to: &bytes) }
        return RowCopy(RowView(trusted: bytes.bytes, schema.layoutPointer))
    }

    package var keptBytes: Int { model.bytes }
}
