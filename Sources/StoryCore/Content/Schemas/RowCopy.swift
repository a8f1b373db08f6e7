/// A row with memory of its own, for what outlives the store's lending it.
package struct RowCopy: Equatable, Sendable {
    package let schema: KindSchema
    /// As its table has them.
    package let bytes: [UInt8]

    package init(_ row: borrowing RowView) {
        schema = row.schema
        bytes = Array(row.bytes)
    }

    /// Lends the row.
    package func withView<Result>(_ body: (RowView) -> Result) -> Result {
        bytes.withUnsafeBytes { body(RowView(trusted: $0, schema.layoutPointer)) }
    }

    package static func == (left: RowCopy, right: RowCopy) -> Bool {
        left.schema === right.schema && left.bytes == right.bytes
    }
}
