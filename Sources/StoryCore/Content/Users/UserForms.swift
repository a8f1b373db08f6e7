/// A checked sign-up; only `SignUpForm` makes one.
package struct SignUp: Equatable, Sendable {
    package let id: Identifier?
    package let event: UserSignedUp

    fileprivate init(id: Identifier?, event: UserSignedUp) {
        self.id = id
        self.event = event
    }
}

/// `POST users`.
package struct SignUpForm: Form {
    package enum FieldID: String, FormFieldID { case id, name, email, prefecture }

    private let fields: FormFields

    package init(_ fields: FormFields) { self.fields = fields }

    package func build(in directory: any Directory) -> Result<SignUp, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let id = reader.identifier(.id)
        let name = reader.required(.name, reader.line(.name, limit: UserLimits.name))
        let email = reader.required(.email, reader.email(.email))
        let prefecture = reader.required(
            .prefecture, reader.selection(.prefecture, of: UserLimits.prefecture), .notSelected)
        guard let name, let email, let prefecture else { return reader.finish(nil) }
        return reader.finish(SignUp(id: id, event: UserSignedUp(name: name, email: email, prefecture: prefecture)))
    }
}

/// A checked revision of a user; only `ReviseUserForm` makes one.
package struct ReviseUser: Equatable, Sendable {
    package let event: UserRevised

    fileprivate init(event: UserRevised) { self.event = event }
}

/// `EDIT users/ID`.
package struct ReviseUserForm: Form {
    package enum FieldID: String, FormFieldID { case name, email, prefecture }

    private let fields: FormFields

    package init(_ fields: FormFields) { self.fields = fields }

    package func build(in directory: any Directory) -> Result<ReviseUser, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let event = UserRevised(
            name: reader.line(.name, limit: UserLimits.name), email: reader.email(.email),
            prefecture: reader.selection(.prefecture, of: UserLimits.prefecture))
        return reader.finish(ReviseUser(event: event))
    }
}

package enum UserLimits {
    /// Characters of a name.
    package static let name = 50
    /// JIS X 0401.
    package static let prefecture: ClosedRange<Int64> = 1...47
}
