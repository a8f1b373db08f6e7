/// A user as it is now.
package struct UserRowOf<Held: Holding>: Equatable, Sendable {
    package let id: Held.Name
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package var name: Held.Prose
    package var email: Held.Prose
    /// 1–47, JIS X 0401.
    package var prefecture: Int64
    /// When the user signed up.
    package let date: Instant

    @_specialize(where Held == Owned)
    package init(
        id: Held.Name, number: StreamNumber, version: Version, position: Position, name: Held.Prose, email: Held.Prose,
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

// What owns its names and texts, as the daemon has it.
package typealias UserRow = UserRowOf<Owned>
