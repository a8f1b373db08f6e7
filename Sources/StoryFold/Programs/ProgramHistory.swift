package import StoryCore

/// The fold of the events of one stream into the row that a program makes of it; it keeps only that, and notes.
package final class ProgramHistory: PastRowFold {
    private let model: MemoryModel
    private let schema: KindSchema
    private let key: [UInt8]
    private let events: any EventReading
    private let paths: EventPaths

    /// Creates the history of a row, before its first event.
    ///
    /// - Parameters:
    ///   - schema: the schema of the row.
    ///   - key: the key of the row.
    ///   - definition: the definition with the program.
    ///   - events: the reader of the values that the program looks at.
    package init(_ schema: KindSchema, key: RowKey, by definition: Definition, events: any EventReading) {
        (self.schema, self.events) = (schema, events)
        self.key = key.spelling.withUnsafeBytes { Array($0) }
        model = MemoryModel(definition)
        paths = EventPaths([definition.program])
    }

    package func fold(_ record: EventRecord) {
        if let event = events.read(record, paths) { model.fold(event) }
    }

    package var row: RowCopy? {
        guard let row = model.row(key) else { return nil }
        var bytes = KeyBuffer()
        model.withRow(row) { ModelRows(schema).write($0, number: 0, to: &bytes) }
        return RowCopy(RowView(trusted: bytes.bytes, schema.layoutPointer))
    }

    package var keptBytes: Int { model.bytes }
}
