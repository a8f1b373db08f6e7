package import StoryCore

/// The encoder of pushes to row subscriptions as JSON: once for all, since each connection adds its own number.
package struct RowPushEncoder {
    private let rows: RowJSONEncoder

    /// Creates an encoder.
    ///
    /// - Parameter rows: the encoder of the rows.
    package init(_ rows: RowJSONEncoder) { self.rows = rows }

    /// Returns `{"position":P,"row":{…}}`: the row's state.
    package func row(_ row: RowView) -> [UInt8] {
        Self.line(row.position, #","row":"#) { rows.append(row, to: &$0) }
    }

    /// Returns `{"position":P,"row":null}`: there is no such row, or no longer.
    package static func absent(at position: Position) -> [UInt8] {
        line(position, #","row":"#) { $0.literal("null") }
    }

    /// Returns `{"position":P,"removed":"ID"}`: the row is no longer in the list.
    ///
    /// - Parameter shape: the form of the row's key.
    package static func removed(_ key: [UInt8], _ shape: RowKeyShape, at position: Position) -> [UInt8] {
        line(position, #","removed":"#) { bytes in key.withUnsafeBytes { bytes.key($0, shape) } }
    }

    private static func line(
        _ position: Position, _ name: StaticString, _ value: (inout ByteWriter) -> Void
    ) -> [UInt8] {
        ByteWriter.bytes { bytes in
            bytes.literal(#"{"position":"#)
            bytes.integer(position.value)
            bytes.literal(name)
            value(&bytes)
            bytes.byte(0x7D)
        }
    }
}
