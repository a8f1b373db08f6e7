/// What a decision about a user rests on.
package struct UserState: Equatable, Sendable {
    package let existence: Existence<UserFields>
    /// True when another user has the address that the command gives.
    package let emailIsTaken: Bool

    package init(existence: Existence<UserFields>, emailIsTaken: Bool = false) {
        self.existence = existence
        self.emailIsTaken = emailIsTaken
    }
}

extension Refusal {
    /// Another user has this address.
    package static func emailTaken(_ email: Text) -> Refusal {
        .taken(field: SignUpForm.FieldID.email.rawValue, message: "another user has the address \(email)")
    }
}

/// What becomes of a user's commands.
package enum UserDecider {
    /// What carrying the command out comes to.
    package static func decide(_ command: UserCommand, _ state: UserState) -> Decision<UserEvent> {
        switch command {
        case .signUp(let command):
            guard state.existence == .none else { return .refused(.idTaken) }
            guard !state.emailIsTaken else { return .refused(.emailTaken(command.event.email)) }
            return .event(.signedUp(command.event))
        case .revise(let command):
            return revise(command.event, state)
        }
    }

    private static func revise(_ event: UserRevised, _ state: UserState) -> Decision<UserEvent> {
        guard let row = state.existence.row else { return .refused(state.existence.refusal ?? .notFound) }
        if let email = event.email, state.emailIsTaken { return .refused(.emailTaken(email)) }
        let isSame =
            (event.name ?? row.name) == row.name && (event.email ?? row.email) == row.email
            && (event.prefecture ?? row.prefecture) == row.prefecture
        return isSame ? .unchanged : .event(.revised(event))
    }
}
