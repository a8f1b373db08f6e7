/// Hints for programs that show a kind's rows to people: nothing that the store itself does depends on them.
package struct KindView: Sendable {
    /// The key that shows the list of the rows, on a keyboard; nil where there is none.
    package let key: String?
    /// The name of the field that names a row; nil where rows are known by their IDs alone.
    package let title: String?
    /// The columns of a list: names of fields, and `id`; none for all of them.
    package let columns: [String]
    /// The ways from a row to rows of other kinds, or of its own.
    package let links: [LinkSchema]

    /// Creates hints.
    package init(key: String? = nil, title: String? = nil, columns: [String] = [], links: [LinkSchema] = []) {
        (self.key, self.title, self.columns, self.links) = (key, title, columns, links)
    }
}

/// A way from a row to another row, or to a list of them.
package struct LinkSchema: Equatable, Sendable {
    /// The key that leads there, on a keyboard.
    package let key: String
    /// The name of the way: `sender`.
    package let name: String
    /// The kind that it leads to.
    package let kind: Kind
    /// The filter of the list that it leads to; nil where it leads to one row.
    package let filter: String?
    /// The fields, or `id`, whose values are the ID of the row or the value of the filter.
    package let fields: [String]

    /// Creates the way to the row whose ID a field has.
    init(_ key: String, _ name: String, to kind: Kind, of field: String) {
        (self.key, self.name, self.kind, filter, fields) = (key, name, kind, nil, [field])
    }

    /// Creates the way to the rows that a filter selects.
    init(_ key: String, _ name: String, to kind: Kind, where filter: String, of fields: [String] = ["id"]) {
        (self.key, self.name, self.kind, self.filter, self.fields) = (key, name, kind, filter, fields)
    }
}

extension WriteVerb {
    /// The key that asks for the write of content, on a keyboard; nil for a write of another thing.
    package var key: String? {
        switch self {
        case .post: "n"
        case .edit: "e"
        case .delete: "d"
        case .like: "l"
        case .unlike: "L"
        case .see: "v"
        case .append, .define, .undefine, .erase, .cursor, .ack, .fail, .retry, .discard, .reset, .drop: nil
        }
    }
}
