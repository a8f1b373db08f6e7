/// What a decision about a user looks at.
package struct UserFields: Equatable, Sendable {
    package let name: Text
    package let email: Text
    /// 1–47, JIS X 0401.
    package let prefecture: Int64

    package init(name: Text, email: Text, prefecture: Int64) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }

    /// - Parameter row: a user's.
    package init(_ row: RowView) {
        self.init(
            name: Text(Array(row.text(UserSchema.Field.name))), email: Text(Array(row.text(UserSchema.Field.email))),
            prefecture: row.integer(UserSchema.Field.prefecture))
    }
}
