package import StoryCore
import StoryFold

/// The basis of replies: the event that has to be durable before a reply leaves.
extension World {
    /// Returns the position that the refusal of a write rests on.
    ///
    /// - Parameter head: the last event that the models have.
    /// - Throws: the error of the read.
    func basis(
        of failure: Failure, _ action: WriteAction, head: Position, durable: Position
    ) throws(StorageError) -> Position {
        guard head > durable else { return .zero }
        switch failure.code {
        case .syntax, .unknown, .notFound, .denied, .tooLarge, .full, .diverged, .behind, .notLeader, .unavailable,
            .busy, .draining, .internal, .held:
            return .zero
        case .gone, .conflict:
            // The form of a write that could be made names rows that may not be durable.
            if failure.code == .conflict, case .content = action { return head }
            if case .match(_, _, let match) = failure.detail { return match.position }
            if case .place = failure.detail { return head }
            guard let stream = action.stream(of: catalogue) else { return head }
            return try streams.head(of: stream)?.position ?? .zero
        case .keyReused:
            if case .position(let position) = failure.detail { return position }
            return head
        // Any earlier event may have made or removed a row that the form names, or taken an address.
        case .invalid, .exists, .lost: return head
        }
    }
}

extension WriteAction {
    /// `key=` of a write; nil where it has none.
    package var key: RequestKey? {
        switch self {
        case .append(_, _, let options), .appendTogether(_, let options): options.key
        case .content(let write): write.options.key
        case .define(let request): request.key
        case .erase(let request): request.key
        case .cursor(let request): request.key
        case .undefine, .ack, .fail, .retry, .discard, .reset, .drop: nil
        }
    }

    /// Returns the one stream that a write is aimed at; nil if there is none yet, or if there are several.
    ///
    /// - Parameter catalogue: the catalogue whose kinds the request names.
    func stream(of catalogue: Catalogue) -> StreamName? {
        switch self {
        case .append(let stream, _, _): stream
        case .content(let write): write.id.map { catalogue[write.kind].stream($0) }
        case .appendTogether, .define, .undefine, .erase, .cursor, .ack, .fail, .retry, .discard, .reset, .drop: nil
        }
    }
}
