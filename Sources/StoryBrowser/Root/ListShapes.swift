/// The columns of the lists of each kind, for other programs that show rows.
package enum ListShapes {
    /// Returns the columns of a kind's list in order; none for an unknown kind.
    package static func of(_ kind: String) -> [ColumnShape] {
        switch kind {
        case Stories().title: Stories().columns.map(\.shape)
        case Users().title: Users().columns.map(\.shape)
        case Messages().title: Messages().columns.map(\.shape)
        case Photos().title: Photos().columns.map(\.shape)
        default: []
        }
    }

    /// Returns the columns of a declared model's list: the ID, and its fields by their names and types.
    package static func ofModel(_ fields: [(name: String, type: String)]) -> [ColumnShape] {
        [ModelDescription.idShape] + fields.map { ModelDescription.Field(name: $0.name, type: $0.type).shape }
    }
}
