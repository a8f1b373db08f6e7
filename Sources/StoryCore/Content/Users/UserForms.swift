/// The form of `POST users`.
package enum SignUpForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case id, name, email, prefecture }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<UserEvent>? {
        reader.takeGivenID(.id)
        let name = reader.required(.name, reader.line(.name, limit: UserLimits.name))
        let email = reader.required(.email, reader.email(.email))
        let prefecture = reader.required(
            .prefecture, reader.selection(.prefecture, of: UserLimits.prefecture), .notSelected)
        guard let name, let email, let prefecture else { return nil }
        return reader.command(.signedUp(UserSignedUp(name: name, email: email, prefecture: prefecture)))
    }
}

/// The form of `EDIT users/ID`.
package enum ReviseUserForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case name, email, prefecture }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<UserEvent>? {
        let event = UserRevised(
            name: reader.line(.name, limit: UserLimits.name), email: reader.email(.email),
            prefecture: reader.selection(.prefecture, of: UserLimits.prefecture))
        return reader.command(.revised(event))
    }
}

extension Command<UserEvent> {
    /// Returns the command of a write, or every wrong field of its form; nil when a user takes no such write.
    package static func made(by action: ContentAction, in directory: any Directory) -> Result<Command, Failure>? {
        switch action {
        case .post(let fields): SignUpForm.command(fields, in: directory)
        case .edit(let fields): ReviseUserForm.command(fields, in: directory)
        case .like, .unlike, .see, .delete: nil
        }
    }
}

/// The limits of a user's fields.
package enum UserLimits {
    /// The maximum length of a name, in characters.
    package static let name = 50
    /// The numbers of the prefectures (JIS X 0401).
    package static let prefecture: ClosedRange<Int64> = 1...47
}
