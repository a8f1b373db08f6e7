package enum MessageCommand: Equatable, Sendable {
    case send(SendMessage)
    case see
    case delete
}

/// What a decision about a message rests on.
package struct MessageState: Equatable, Sendable {
    package let existence: Existence<MessageRow>

    package init(existence: Existence<MessageRow>) { self.existence = existence }
}

package enum MessageDecider {
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

package enum MessageFold {
    /// The row after an event, nil once it is deleted; an event that cannot follow leaves things as they are.
    @_specialize(where E == Event)
    @_specialize(where E == LentEvent)
    package static func fold<E: Occurrence>(
        _ happening: MessageEventOf<E.Held>, of event: E, into row: MessageRowOf<E.Held>?
    ) -> MessageRowOf<E.Held>? {
        if case .sent(let sent) = happening {
            guard event.version == Version(1) else { return row }
            return MessageRowOf(
                id: event.id, number: event.streamNumber, version: event.version, position: event.position,
                text: sent.text, sender: sent.sender, recipient: sent.recipient, story: sent.story,
                date: sent.date ?? event.time, seen: false)
        }
        guard var row else { return nil }
        row.version = event.version
        row.position = event.position
        switch happening {
        case .sent: break
        case .seen: row.seen = true
        case .deleted: return nil
        }
        return row
    }
}
