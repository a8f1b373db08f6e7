/// The decider for commands about a message.
package enum MessageDecider {
    /// Returns the decision on the event that a command asks for.
    package static func decide(_ event: MessageEvent, on message: Existence<MessageFields>) -> Decision {
        switch event {
        case .sent: message.creation
        case .seen: message.change { !$0.seen }
        case .deleted: message.change { _ in true }
        }
    }
}
