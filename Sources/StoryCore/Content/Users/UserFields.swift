/// The fields of a user that a decision looks at.
package struct UserFields: Equatable, Sendable {
    /// The name of the user.
    package let name: Text
    /// The e-mail address, as the user spelled it.
    package let email: Text
    /// The number of the prefecture, 1–47 (JIS X 0401).
    package let prefecture: Int64

    /// Creates the fields from a user's row.
    package init(_ row: RowView) {
        name = Text(Array(row.text(UserSchema.Field.name)))
        email = Text(Array(row.text(UserSchema.Field.email)))
        prefecture = row.integer(UserSchema.Field.prefecture)
    }
}
