/// An event of a user.
package enum UserEvent: Equatable, Sendable {
    case signedUp(UserSignedUp)
    case revised(UserRevised)
}

/// The data of `UserSignedUp`.
package struct UserSignedUp: Equatable, Sendable {
    /// The name of the user.
    package let name: Text
    /// The e-mail address, as the user spelled it.
    package let email: Text
    /// The number of the prefecture, 1–47 (JIS X 0401).
    package let prefecture: Int64

    /// Creates the data from its fields.
    package init(name: Text, email: Text, prefecture: Int64) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}

/// The data of `UserRevised`: the fields that the form gave.
package struct UserRevised: Equatable, Sendable {
    /// The new name; nil leaves it unchanged.
    package let name: Text?
    /// The new e-mail address; nil leaves it unchanged.
    package let email: Text?
    /// The new number of the prefecture, 1–47 (JIS X 0401); nil leaves it unchanged.
    package let prefecture: Int64?

    /// Creates the data from its fields.
    package init(name: Text?, email: Text?, prefecture: Int64?) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}
