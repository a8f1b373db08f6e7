/// The decider for commands about a photo.
package enum PhotoDecider {
    /// Returns the decision on the event that a command asks for.
    package static func decide(_ event: PhotoEvent, on photo: Existence<PhotoFields>) -> Decision {
        switch event {
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
