package enum PhotoCommand: Equatable, Sendable {
    case add(AddPhoto)
    case revise(RevisePhoto)
    case delete
}

/// What a decision about a photo rests on.
package struct PhotoState: Equatable, Sendable {
    package let existence: Existence<PhotoRow>

    package init(existence: Existence<PhotoRow>) { self.existence = existence }
}

package enum PhotoDecider {
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

package enum PhotoFold {
    /// The row after an event, nil once it is deleted; an event that cannot follow leaves things as they are.
    @_specialize(where E == Event)
    @_specialize(where E == LentEvent)
    package static func fold<E: Occurrence>(
        _ happening: PhotoEventOf<E.Held>, of event: E, into row: PhotoRowOf<E.Held>?
    ) -> PhotoRowOf<E.Held>? {
        if case .added(let added) = happening {
            guard event.version == Version(1) else { return row }
            return PhotoRowOf(
                id: event.id, number: event.streamNumber, version: event.version, position: event.position,
                owner: added.owner, iso: added.iso, focalLength: added.focalLength,
                exposureValue: added.exposureValue, lensAperture: added.lensAperture,
                exposureDuration: added.exposureDuration, flash: added.flash, date: added.date ?? event.time)
        }
        guard var row else { return nil }
        row.version = event.version
        row.position = event.position
        switch happening {
        case .added: break
        case .exposureRevised(let revised):
            row.exposureValue = revised.exposureValue ?? row.exposureValue
            row.exposureDuration = revised.exposureDuration ?? row.exposureDuration
        case .deleted: return nil
        }
        return row
    }
}
