/// The decider for a photo's commands.
package enum PhotoDecider {
    /// Returns the decision on a command in a state.
    package static func decide(_ command: Command<PhotoEvent>, on photo: Existence<PhotoFields>) -> Decision {
        switch command.event {
        case .added: photo.creation
        case .exposureRevised(let event):
            photo.change { row in
                (event.exposureValue ?? row.exposureValue) != row.exposureValue
                    || (event.exposureDuration ?? row.exposureDuration) != row.exposureDuration
            }
        case .deleted: photo.change { _ in true }
        }
    }
}
