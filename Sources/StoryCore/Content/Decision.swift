/// What a decider makes of a command.
package enum Decision<Happening: Equatable & Sendable>: Equatable, Sendable {
    /// This is to be appended.
    case event(Happening)
    /// Everything is as the command wants it already.
    case unchanged
    case refused(Refusal)
}

/// Why a valid command cannot be carried out in the state that things are in.
package enum Refusal: Equatable, Sendable {
    /// Nothing ever had this ID.
    case notFound
    /// What had this ID was deleted.
    case gone
    /// The ID is in use, or was before a deletion.
    case idTaken
    /// Another user has this address.
    case emailTaken(Text)
}

/// What has become of one ID.
package enum Existence<Fields: Equatable & Sendable>: Equatable, Sendable {
    case none
    /// It is there, with what a decision looks at.
    case live(Fields)
    case gone

    package var row: Fields? {
        switch self {
        case .live(let row): row
        case .none, .gone: nil
        }
    }

    /// Why nothing can be done to it; nil while it is there.
    package var refusal: Refusal? {
        switch self {
        case .none: .notFound
        case .gone: .gone
        case .live: nil
        }
    }
}
