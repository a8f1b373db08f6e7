/// What can happen to a user.
package enum UserEvent: Equatable, Sendable {
    case signedUp(UserSignedUp)
    case revised(UserRevised)
}

/// `UserSignedUp`.
package struct UserSignedUp: Equatable, Sendable {
    package let name: Text
    package let email: Text
    /// 1–47, JIS X 0401.
    package let prefecture: Int64

    package init(name: Text, email: Text, prefecture: Int64) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}

/// `UserRevised`: the fields that the form gave.
package struct UserRevised: Equatable, Sendable {
    package let name: Text?
    package let email: Text?
    package let prefecture: Int64?

    package init(name: Text?, email: Text?, prefecture: Int64?) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}
