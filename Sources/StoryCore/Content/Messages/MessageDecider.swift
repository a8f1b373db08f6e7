/// What a decision about a message rests on.
package struct MessageState: Equatable, Sendable {
    package let existence: Existence<MessageFields>

    package init(existence: Existence<MessageFields>) { self.existence = existence }
}

/// What becomes of a message's commands.
package enum MessageDecider {
    /// What carrying the command out comes to.
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
