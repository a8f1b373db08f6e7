package import StoryCore

/// Writes what watchers of rows are told: once for all who watch a row, each of whom gets it behind his own number.
package enum RowPushEncoder {
    /// `{"position":P,"row":{…}}`
    package static func row(_ row: RowView) -> [UInt8] {
        var bytes = head(row.position, "row")
        RowJSONEncoder.standard.append(row, to: &bytes)
        bytes.append(0x7D)
        return bytes
    }

    /// `{"position":P,"row":null}`: there is no such row, or no more.
    package static func absent(at position: Position) -> [UInt8] {
        var bytes = head(position, "row")
        bytes.appendLiteral("null}")
        return bytes
    }

    /// `{"position":P,"removed":"ID"}`: the row is not in the list any more.
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
