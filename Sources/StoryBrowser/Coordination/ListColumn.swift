/// A column of a list for any program: its heading, the row's member, and its width.
package struct ColumnShape: Hashable, Sendable {
    /// The width in terminal columns.
    package enum Width: Hashable, Sendable {
        /// The width of its values, in the browser at most this many columns.
        case whole(Int)
        /// A date, to the second.
        case date
        /// At least this many columns, and more if there is room.
        case name(Int)
        /// An equal share of the remaining columns.
        case rest
        /// As many columns as its longest value has; where there is less room, at least this many of them.
        case content(Int)
    }

    /// The heading.
    package let heading: String
    /// The member of a row, as on the wire.
    package let member: String
    /// The width.
    package let width: Width
}

/// A column of a list of typed rows.
struct ListColumn<Content: Sendable>: Sendable {
    /// The column without its type.
    let shape: ColumnShape
    var tone = Tone.plain
    let text: @Sendable (Content, Names) -> String
}

extension ListColumn {
    init(
        _ heading: String, of member: String, width: ColumnShape.Width, tone: Tone = .plain,
        _ text: @escaping @Sendable (Content) -> String
    ) {
        let shape = ColumnShape(heading: heading, member: member, width: width)
        self.init(shape: shape, tone: tone) { content, _ in text(content) }
    }
}
