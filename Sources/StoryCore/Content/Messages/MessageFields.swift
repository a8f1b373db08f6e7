/// What a decision about a message looks at.
package struct MessageFields: Equatable, Sendable {
    package let seen: Bool

    package init(seen: Bool) { self.seen = seen }

    /// - Parameter row: a message's.
    package init(_ row: RowView) { self.init(seen: row.flag(MessageSchema.Field.seen)) }
}
