/// A copy of a row, for use after the store's view is no longer valid.
package struct RowCopy: Equatable, Sendable {
    /// The schema of the row's kind.
    package let schema: KindSchema
    /// The bytes of the row, as stored in its table.
    package let bytes: [UInt8]

    /// Copies a row.
    package init(_ row: borrowing RowView) {
        schema = row.schema
        bytes = Array(row.bytes)
    }

    /// Calls `body` with a view of the row, which is valid until it returns.
    package func withView<Result>(_ body: (RowView) -> Result) -> Result {
        bytes.withUnsafeBytes { body(RowView(trusted: $0, schema.layoutPointer)) }
    }

    package static func == (left: RowCopy, right: RowCopy) -> Bool {
        left.schema === right.schema && left.bytes == right.bytes
    }
}
