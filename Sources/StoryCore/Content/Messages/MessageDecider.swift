/// The state that a decision about a message depends on.
package struct MessageState: Equatable, Sendable {
    /// The state of the message's ID.
    package let existence: Existence<MessageFields>

    /// Creates a state.
    package init(existence: Existence<MessageFields>) { self.existence = existence }
}

/// The decider for a message's commands.
package enum MessageDecider {
    /// Returns the decision on a command in a state.
    package static func decide(_ command: MessageCommand, _ state: MessageState) -> Decision<MessageEvent> {
        if case .send(let command) = command {
            return state.existence == .none ? .event(.sent(command.event)) : .refused(.idTaken)
        }
        guard let row = state.existence.row else { return .refused(state.existence.refusal ?? .notFound) }
        switch command {
        case .send: return .refused(.idTaken)
        case .see: return row.seen ? .unchanged : .event(.seen)
        case .delete: return .event(.deleted)
        }
    }
}
