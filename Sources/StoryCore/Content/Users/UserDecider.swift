/// The state that a decision about a user depends on.
package struct UserState: Equatable, Sendable {
    /// The state of the user's ID.
    package let existence: Existence<UserFields>
    /// True when another user has the address that the command gives.
    package let emailIsTaken: Bool

    /// Creates a state.
    package init(existence: Existence<UserFields>, emailIsTaken: Bool = false) {
        self.existence = existence
        self.emailIsTaken = emailIsTaken
    }
}

extension Refusal {
    /// Returns the refusal for an address that another user has.
    package static func emailTaken(_ email: Text) -> Refusal {
        .taken(field: SignUpForm.FieldID.email.rawValue, message: "another user has the address \(email)")
    }
}

/// The decider for a user's commands.
package enum UserDecider {
    /// Returns the decision on a command in a state.
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
