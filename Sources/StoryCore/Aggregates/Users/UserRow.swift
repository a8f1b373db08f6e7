/// A user as it is now.
package struct UserRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package var name: Text
    package var email: Text
    /// 1–47, JIS X 0401.
    package var prefecture: Int64
    /// When the user signed up.
    package let date: Instant

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, name: Text, email: Text,
        prefecture: Int64, date: Instant
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.name = name
        self.email = email
        self.prefecture = prefecture
        self.date = date
    }
}
