/// A row of a model with the members that each row has.
package struct ModelRow: BitwiseCopyable {
    /// The key, as `ModelKey` has it; the row's ID is its text.
    package let key: UnsafeRawBufferPointer
    /// The number of events that left the row otherwise, since it was made.
    package let changes: UInt64
    /// The position of the last of them.
    package let position: Position
    /// The values of the fields.
    package let values: UnsafePointer<ModelValue>

    /// Creates a row.
    package init(
        key: UnsafeRawBufferPointer, changes: UInt64, position: Position, values: UnsafePointer<ModelValue>
    ) {
        self.key = key
        self.changes = changes
        self.position = position
        self.values = values
    }

    /// Appends the row as JSON: `{"id":…,"changes":…,"position":…,FIELDS}`, without absent fields.
    package func appendJSON(to bytes: inout [UInt8], _ fields: [ModelField]) {
        bytes += #"{"id":""#.utf8
        RowKeyShape.someParts.forEachByte(of: key) { bytes.append($0) }
        bytes += #"","changes":\#(changes),"position":\#(position.value)"#.utf8
        for (number, field) in fields.enumerated() where !values[number].isMissing {
            bytes += ",\"\(field.name)\":".utf8
            values[number].appendJSON(to: &bytes)
        }
        bytes.append(0x7D)
    }
}
