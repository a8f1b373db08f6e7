/// The decider for a user's commands.
package enum UserDecider {
    /// Returns the decision on a command in a state.
    ///
    /// - Parameter emailIsTaken: true when another user has the address that the command gives.
    package static func decide(
        _ command: Command<UserEvent>, on user: Existence<UserFields>, emailIsTaken: Bool = false
    ) -> Decision {
        switch command.event {
        case .signedUp(let event):
            return user == .none && emailIsTaken ? .refused(.emailTaken(event.email)) : user.creation
        case .revised(let event):
            if case .live = user, emailIsTaken, let email = event.email { return .refused(.emailTaken(email)) }
            return user.change { row in
                (event.name ?? row.name) != row.name || (event.email ?? row.email) != row.email
                    || (event.prefecture ?? row.prefecture) != row.prefecture
            }
        }
    }

    /// Returns the decision on a command in the current state.
    ///
    /// - Throws: the error of reading a row.
    static func decide(
        _ command: Command<UserEvent>, on subject: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Decision {
        let user = try rows.existence(of: subject) { UserFields($0) }
        return decide(command, on: user, emailIsTaken: try emailIsTaken(command.event, from: subject, in: rows))
    }

    /// Returns true when another user has the address that the command gives.
    private static func emailIsTaken(
        _ event: UserEvent, from user: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Bool {
        let email: Text? =
            switch event {
            case .signedUp(let event): event.email
            case .revised(let event): event.email
            }
        guard let email else { return false }
        var owner: StreamNumber?
        _ = try rows.row(user.kind, folded: EmailAddress.folded(email.bytes)) { owner = StreamNumber($0.number) }
        return owner != nil && owner != user.number
    }
}

extension Refusal {
    /// Returns the refusal for an address that another user has.
    package static func emailTaken(_ email: Text) -> Refusal {
        .taken(field: SignUpForm.FieldID.email.rawValue, message: "another user has the address \(email)")
    }
}
