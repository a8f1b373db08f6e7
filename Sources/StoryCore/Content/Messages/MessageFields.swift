/// The fields of a message that a decision looks at.
package struct MessageFields: Equatable, Sendable {
    /// True when the recipient saw the message.
    package let seen: Bool

    /// Creates the fields from a message's row.
    package init(_ row: RowView) { seen = row.flag(MessageSchema.Field.seen) }
}
