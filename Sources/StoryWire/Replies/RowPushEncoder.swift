package import StoryCore

/// The encoder of pushes to row subscriptions as JSON: once for all, since each connection adds its own number.
package enum RowPushEncoder {
    /// Returns `{"position":P,"row":{…}}`: the row's state.
    package static func row(_ row: RowView) -> [UInt8] {
        var bytes = head(row.position, "row")
        RowJSONEncoder.standard.append(row, to: &bytes)
        bytes.append(0x7D)
        return bytes
    }

    /// Returns `{"position":P,"row":null}`: there is no such row, or no longer.
    package static func absent(at position: Position) -> [UInt8] {
        var bytes = head(position, "row")
        bytes.appendLiteral("null}")
        return bytes
    }

    /// Returns `{"position":P,"removed":"ID"}`: the row is no longer in the list.
    package static func removed(_ id: [UInt8], at position: Position) -> [UInt8] {
        var bytes = head(position, "removed")
        bytes.appendName(id)
        bytes.append(0x7D)
        return bytes
    }

    private static func head(_ position: Position, _ name: StaticString) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLiteral(#"{"position":"#)
        bytes.appendInteger(position.value)
        bytes.appendLiteral(#",""#)
        bytes.appendLiteral(name)
        bytes.appendLiteral(#"":"#)
        return bytes
    }
}
