/// What a decider makes of a command.
package enum Decision<Fact: Equatable & Sendable>: Equatable, Sendable {
    /// This is to be appended.
    case event(Fact)
    /// Everything is as the command wants it already.
    case unchanged
    case refused(Refusal)

    /// The same with another type's event.
    func map<Wider>(_ wrap: (Fact) -> Wider) -> Decision<Wider> {
        switch self {
        case .event(let fact): .event(wrap(fact))
        case .unchanged: .unchanged
        case .refused(let refusal): .refused(refusal)
        }
    }
}

/// Why a valid command cannot be carried out in the state that things are in.
package enum Refusal: Equatable, Sendable {
    /// Nothing ever had this ID.
    case notFound
    /// What had this ID was deleted.
    case gone
    /// The ID is in use, or was before a deletion.
    case idTaken
    /// Something else has what a field gives, which no two have.
    case taken(field: String, message: String)

    /// What the client gets.
    ///
    /// - Parameter target: what the command is aimed at: `stories/12345`.
    package func failure(of target: String) -> Failure {
        switch self {
        case .notFound: .notFound(target)
        case .gone: .gone(target)
        case .idTaken: Failure(.exists, "\(target) exists or did: an ID is used once", .field("id"))
        case .taken(let field, let message): Failure(.exists, message, .field(field))
        }
    }
}

extension Failure {
    /// What a client gets for an ID that nothing ever had.
    package static func notFound(_ target: String) -> Failure { Failure(.notFound, "there is no \(target)") }

    /// What a client gets for an ID whose content was deleted.
    package static func gone(_ target: String) -> Failure {
        Failure(.gone, "\(target) was deleted; its history can be read")
    }
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
