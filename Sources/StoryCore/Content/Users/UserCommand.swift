/// A valid command for a user.
package enum UserCommand: Equatable, Sendable {
    case signUp(SignUp)
    case revise(ReviseUser)
}

extension UserCommand: KindCommand {
    static func made(by action: ContentAction, in directory: any Directory) -> Result<UserCommand, Failure>? {
        switch action {
        case .post(let fields): SignUpForm(fields).command(in: directory) { .signUp($0) }
        case .edit(let fields): ReviseUserForm(fields).command(in: directory) { .revise($0) }
        case .like, .unlike, .see, .delete: nil
        }
    }

    var givenID: Identifier? {
        switch self {
        case .signUp(let command): command.id
        case .revise: nil
        }
    }

    var event: UserEvent {
        switch self {
        case .signUp(let command): .signedUp(command.event)
        case .revise(let command): .revised(command.event)
        }
    }

    func decision(on subject: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Decision<UserEvent> {
        let existence = try rows.existence(of: subject) { UserFields($0) }
        let state = UserState(existence: existence, emailIsTaken: try emailIsTaken(from: subject, in: rows))
        return UserDecider.decide(self, state)
    }

    /// The address that the command gives; nil where it gives none.
    private var email: Text? {
        switch self {
        case .signUp(let command): command.event.email
        case .revise(let command): command.event.email
        }
    }

    /// Returns true when another user has the address.
    private func emailIsTaken(from user: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Bool {
        guard let email else { return false }
        var owner: StreamNumber?
        _ = try rows.row(user.kind, folded: EmailAddress.folded(email.bytes)) { owner = StreamNumber($0.number) }
        return owner != nil && owner != user.number
    }
}
