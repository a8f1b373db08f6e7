import StoryCore
import StoryModels

/// What replies rest on: which event has to be durable before one leaves.
extension Engine {
    /// What the reply to a `GET` rests on: the last event of the row's stream.
    func basis(
        of kind: Kind, _ id: Identifier, _ moment: Moment?, _ output: any TurnOutput
    ) -> Position {
        guard head > output.durable else { return .zero }
        guard moment == nil else { return head }
        return id.spelling.withUnsafeBytes { StreamsModel.head(of: kind, $0, in: store)?.position ?? .zero }
    }

    /// What the refusal of a write rests on.
    func basis(of failure: Failure, _ action: RequestAction, _ output: any TurnOutput) -> Position {
        guard head > output.durable else { return .zero }
        switch failure.code {
        case .syntax, .unknown, .notFound, .denied, .tooLarge, .full, .diverged, .busy, .draining, .internal:
            return .zero
        case .gone, .conflict:
            guard let stream = action.stream else { return head }
            return StreamsModel.head(of: stream, in: store)?.position ?? .zero
        case .keyReused:
            if case .position(let position) = failure.detail { return position }
            return head
        // What a form names may have come or gone, and an address may have been taken, by any event before.
        case .invalid, .exists: return head
        }
    }
}
