package import StoryCore
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

extension RequestAction {
    /// `key=` of a write of events; nil where it has none, or the request is no such write.
    package var key: RequestKey? {
        if case .append(_, _, let options) = self { return options.key }
        if case .appendTogether(_, let options) = self { return options.key }
        if case .content(let write) = self { return write.options.key }
        return nil
    }

    /// Returns the one stream that a write is aimed at; nil if there is none yet, or if there are several.
    ///
    /// - Parameter catalogue: the catalogue whose kinds the request names.
    func stream(of catalogue: Catalogue) -> StreamName? {
        switch self {
        case .append(let stream, _, _): stream
        case .content(let write): write.id.map { catalogue[write.kind].stream($0) }
        case .get, .list, .count, .sorts, .read, .countEvents, .streams, .types, .define, .undefine, .models, .misfits,
            .appendTogether, .subscribe, .unsubscribe, .ping, .help, .stats, .metrics, .clients, .checkpoint, .verify,
            .seal, .backup, .cluster, .quit:
            nil
        }
    }
}
