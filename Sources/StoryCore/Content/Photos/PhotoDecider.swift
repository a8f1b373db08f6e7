/// The state that a decision about a photo depends on.
package struct PhotoState: Equatable, Sendable {
    /// The state of the photo's ID.
    package let existence: Existence<PhotoFields>

    /// Creates a state.
    package init(existence: Existence<PhotoFields>) { self.existence = existence }
}

/// The decider for a photo's commands.
package enum PhotoDecider {
    /// Returns the decision on a command in a state.
    package static func decide(_ command: PhotoCommand, _ state: PhotoState) -> Decision<PhotoEvent> {
        if case .add(let command) = command {
            return state.existence == .none ? .event(.added(command.event)) : .refused(.idTaken)
        }
        guard let row = state.existence.row else { return .refused(state.existence.refusal ?? .notFound) }
        switch command {
        case .add: return .refused(.idTaken)
        case .revise(let command):
            let event = command.event
            let isSame =
                (event.exposureValue ?? row.exposureValue) == row.exposureValue
                && (event.exposureDuration ?? row.exposureDuration) == row.exposureDuration
            return isSame ? .unchanged : .event(.exposureRevised(event))
        case .delete: return .event(.deleted)
        }
    }
}
