/// The decider for a message's commands.
package enum MessageDecider {
    /// Returns the decision on a command in a state.
    package static func decide(_ command: Command<MessageEvent>, on message: Existence<MessageFields>) -> Decision {
        switch command.event {
        case .sent: message.creation
        case .seen: message.change { !$0.seen }
        case .deleted: message.change { _ in true }
        }
    }
}
