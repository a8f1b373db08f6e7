/// The decision on a command in the current state.
package enum Decision: Equatable, Sendable {
    /// The event that the command asks for is to be appended.
    case append
    /// The command would change nothing.
    case unchanged
    case refused(Refusal)
}

/// The reason why a valid command cannot be carried out in the current state.
package enum Refusal: Equatable, Sendable {
    /// The ID was never used.
    case notFound
    /// The content with this ID was deleted.
    case gone
    /// The ID is in use, or was before a deletion.
    case idTaken
    /// Other content already has the value of a field that must be unique.
    case taken(field: String, message: String)

    /// Returns the failure that the client gets.
    ///
    /// - Parameter target: the content that the command is aimed at: `stories/12345`.
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
    /// Returns the failure for an ID that was never used.
    package static func notFound(_ target: String) -> Failure { Failure(.notFound, "there is no \(target)") }

    /// Returns the failure for an ID whose content was deleted.
    package static func gone(_ target: String) -> Failure {
        Failure(.gone, "\(target) was deleted; its history can be read")
    }
}

/// The state of one ID: never used, live or deleted.
package enum Existence<Fields: Equatable & Sendable>: Equatable, Sendable {
    case none
    /// The content exists, with the fields that a decision looks at.
    case live(Fields)
    case gone

    /// The decision on a command that creates the content.
    var creation: Decision { self == .none ? .append : .refused(.idTaken) }

    /// Returns the decision on a command that changes live content.
    ///
    /// - Parameter isChange: returns false when the fields would stay as they are.
    func change(_ isChange: (Fields) -> Bool) -> Decision {
        switch self {
        case .none: .refused(.notFound)
        case .gone: .refused(.gone)
        case .live(let fields): isChange(fields) ? .append : .unchanged
        }
    }
}
