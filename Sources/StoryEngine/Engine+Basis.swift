import StoryCore
import StoryModels

/// The basis of replies: the event that has to be durable before a reply leaves.
extension Engine {
    /// Returns the position that the refusal of a write rests on.
    ///
    /// - Throws: the error of the read.
    func basis(
        of failure: Failure, _ action: RequestAction, _ output: any TurnOutput
    ) throws(StorageError) -> Position {
        guard head > output.durable else { return .zero }
        switch failure.code {
        case .syntax, .unknown, .notFound, .denied, .tooLarge, .full, .diverged, .busy, .draining, .internal:
            return .zero
        case .gone, .conflict:
            guard let stream = action.stream(of: world.plan.catalogue) else { return head }
            return try world.streams.head(of: stream)?.position ?? .zero
        case .keyReused:
            if case .position(let position) = failure.detail { return position }
            return head
        // Any earlier event may have made or removed a row that the form names, or taken an address.
        case .invalid, .exists: return head
        }
    }
}
