package enum UserCommand: Equatable, Sendable {
    case signUp(SignUp)
    case revise(ReviseUser)
}

/// What a decision about a user rests on.
package struct UserState: Equatable, Sendable {
    package let existence: Existence<UserRow>
    /// True when another user has the address that the command gives.
    package let emailIsTaken: Bool

    package init(existence: Existence<UserRow>, emailIsTaken: Bool = false) {
        self.existence = existence
        self.emailIsTaken = emailIsTaken
    }
}

package enum UserDecider {
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

package enum UserFold {
    /// The row after an event; an event that cannot follow leaves things as they are.
    @_specialize(where E == Event)
    @_specialize(where E == LentEvent)
    package static func fold<E: Occurrence>(
        _ happening: UserEventOf<E.Held>, of event: E, into row: UserRowOf<E.Held>?
    ) -> UserRowOf<E.Held>? {
        switch happening {
        case .signedUp(let signedUp):
            guard event.version == Version(1) else { return row }
            return UserRowOf(
                id: event.id, number: event.streamNumber, version: event.version, position: event.position,
                name: signedUp.name, email: signedUp.email, prefecture: signedUp.prefecture, date: event.time)
        case .revised(let revised):
            guard var row else { return nil }
            row.version = event.version
            row.position = event.position
            row.name = revised.name ?? row.name
            row.email = revised.email ?? row.email
            row.prefecture = revised.prefecture ?? row.prefecture
            return row
        }
    }
}
