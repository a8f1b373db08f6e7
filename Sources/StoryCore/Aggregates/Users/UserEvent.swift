/// What can happen to a user.
package enum UserEventOf<Held: Holding>: Equatable, Sendable {
    case signedUp(UserSignedUpOf<Held>)
    case revised(UserRevisedOf<Held>)
}

/// `UserSignedUp`.
package struct UserSignedUpOf<Held: Holding>: Equatable, Sendable {
    package let name: Held.Prose
    package let email: Held.Prose
    /// 1–47, JIS X 0401.
    package let prefecture: Int64

    @_specialize(where Held == Owned)
    @_specialize(where Held == Borrowed)
    package init(name: Held.Prose, email: Held.Prose, prefecture: Int64) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}

/// `UserRevised`: the fields that the form gave.
package struct UserRevisedOf<Held: Holding>: Equatable, Sendable {
    package let name: Held.Prose?
    package let email: Held.Prose?
    package let prefecture: Int64?

    @_specialize(where Held == Owned)
    @_specialize(where Held == Borrowed)
    package init(name: Held.Prose?, email: Held.Prose?, prefecture: Int64?) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}

// What owns its names and texts, as the daemon has it.
package typealias UserEvent = UserEventOf<Owned>
package typealias UserSignedUp = UserSignedUpOf<Owned>
package typealias UserRevised = UserRevisedOf<Owned>
