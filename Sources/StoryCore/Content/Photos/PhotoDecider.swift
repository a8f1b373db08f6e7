/// What a decision about a photo rests on.
package struct PhotoState: Equatable, Sendable {
    package let existence: Existence<PhotoFields>

    package init(existence: Existence<PhotoFields>) { self.existence = existence }
}

/// What becomes of a photo's commands.
package enum PhotoDecider {
    /// What carrying the command out comes to.
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
