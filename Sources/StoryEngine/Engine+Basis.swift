import StoryCore
import StoryModels

/// What replies rest on: which event has to be durable before one leaves.
extension Engine {
    /// What the refusal of a write rests on.
    ///
    /// - Throws: what reading failed with.
    func basis(
        of failure: Failure, _ action: RequestAction, _ output: any TurnOutput
    ) throws(StorageError) -> Position {
        guard head > output.durable else { return .zero }
        switch failure.code {
        case .syntax, .unknown, .notFound, .denied, .tooLarge, .full, .diverged, .busy, .draining, .internal:
            return .zero
        case .gone, .conflict:
            guard let stream = action.stream(of: models.plan.catalogue) else { return head }
            return try models.streams.head(of: stream)?.position ?? .zero
        case .keyReused:
            if case .position(let position) = failure.detail { return position }
            return head
        // What a form names may have come or gone, and an address may have been taken, by any event before.
        case .invalid, .exists: return head
        }
    }
}
