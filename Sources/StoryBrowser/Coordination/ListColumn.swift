import struct FoundationEssentials.Date

/// A column of a list as every program shows it: its heading, the member of the row that it has, and its width.
package struct ColumnShape: Hashable, Sendable {
    /// How many columns of a terminal it takes.
    package enum Width: Hashable, Sendable {
        /// As many as its values want, at most so many in the browser.
        case whole(Int)
        /// A date, to the second.
        case date
        /// So many, and more where there is room for all.
        case name(Int)
        /// An equal part of what the others leave.
        case rest
    }

    package let heading: String
    /// The member of a row on the wire.
    package let member: String
    package let width: Width
}

/// A column of a list of typed rows.
package struct ListColumn<Content: Sendable>: Sendable {
    package let shape: ColumnShape
    let text: @Sendable (Content, Names) -> String

    private init(_ shape: ColumnShape, _ text: @escaping @Sendable (Content, Names) -> String) {
        (self.shape, self.text) = (shape, text)
    }

    init(
        _ heading: String, of member: String, width: ColumnShape.Width,
        _ text: @escaping @Sendable (Content) -> String
    ) {
        self.init(ColumnShape(heading: heading, member: member, width: width), { content, _ in text(content) })
    }

    /// A column of dates, which says that they are in UTC.
    static func date(_ heading: String, _ date: @escaping @Sendable (Content) -> Date) -> ListColumn {
        ListColumn("\(heading) (UTC)", of: "date", width: .date) { Moments.shown(date($0)) }
    }

    /// A column of users, by the field that has their IDs.
    static func people(
        _ heading: String, of member: String, _ id: @escaping @Sendable (Content) -> String
    ) -> ListColumn {
        let shape = ColumnShape(heading: heading, member: member, width: .name(10))
        return ListColumn(shape, { content, names in names.name(of: id(content)) })
    }
}
