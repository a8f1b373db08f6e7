import StoryCore
import StoryFold

/// The basis of replies: the event that has to be durable before a reply leaves.
extension World {
    /// Returns the position that the refusal of a write rests on.
    ///
    /// - Parameter head: the last event that the models have.
    /// - Throws: the error of the read.
    func basis(
        of failure: Failure, _ action: RequestAction, head: Position, durable: Position
    ) throws(StorageError) -> Position {
        guard head > durable else { return .zero }
        switch failure.code {
        case .syntax, .unknown, .notFound, .denied, .tooLarge, .full, .diverged, .behind, .notLeader, .unavailable,
            .busy,
            .draining, .internal:
            return .zero
        case .gone, .conflict:
            guard let stream = action.stream(of: catalogue) else { return head }
            return try streams.head(of: stream)?.position ?? .zero
        case .keyReused:
            if case .position(let position) = failure.detail { return position }
            return head
        // Any earlier event may have made or removed a row that the form names, or taken an address.
        case .invalid, .exists: return head
        }
    }
}
