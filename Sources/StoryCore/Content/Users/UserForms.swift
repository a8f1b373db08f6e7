/// A checked sign-up; only `SignUpForm` makes one.
package struct SignUp: Equatable, Sendable {
    /// The ID that the client chose; nil where the store chooses one.
    package let id: Identifier?
    /// The event that the form produces.
    package let event: UserSignedUp

    fileprivate init(id: Identifier?, event: UserSignedUp) {
        self.id = id
        self.event = event
    }
}

/// The form of `POST users`.
package struct SignUpForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, name, email, prefecture }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the sign-up, or every wrong field.
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
    /// The event that the form produces.
    package let event: UserRevised

    fileprivate init(event: UserRevised) { self.event = event }
}

/// The form of `EDIT users/ID`.
package struct ReviseUserForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case name, email, prefecture }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the revision, or every wrong field.
    package func build(in directory: any Directory) -> Result<ReviseUser, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let event = UserRevised(
            name: reader.line(.name, limit: UserLimits.name), email: reader.email(.email),
            prefecture: reader.selection(.prefecture, of: UserLimits.prefecture))
        return reader.finish(ReviseUser(event: event))
    }
}

/// The limits of a user's fields.
package enum UserLimits {
    /// The maximum length of a name, in characters.
    package static let name = 50
    /// The numbers of the prefectures (JIS X 0401).
    package static let prefecture: ClosedRange<Int64> = 1...47
}
