import StoryCore
import StoryModels

/// Idempotency by request key: returns the first receipt of a write whose key was seen before.
///
/// Only the key is stored, in the event itself. A request is "the same" if it would write exactly the events that the
/// key wrote the first time. So idempotency holds after a replay, an export and an import, too. `version=` is a
/// condition and no part of the comparison: a client that reads again and decides the same gets the first receipt.
enum Idempotency {
    /// Returns the first receipt of a key, or a refusal if it belongs to another request; nil for a new key.
    ///
    /// - Throws: the error of the read.
    static func outcome(
        of action: RequestAction, _ key: RequestKey, in world: World
    ) throws(StorageError) -> WriteOutcome? {
        guard let entry = try world.keys.entry(of: key) else { return nil }
        if let receipt = try repeated(action, entry.positions, in: world) { return .repeated(receipt) }
        return .refused(reused(key, entry.last))
    }

    /// Returns the refusal of a key that belongs to another request.
    ///
    /// - Parameter last: the position of the last event of that request.
    static func reused(_ key: RequestKey, _ last: Position) -> Failure {
        let message = "the key \(key) belongs to another request, at position \(last.value)"
        return Failure(.keyReused, message, .position(last))
    }

    /// Returns the receipt of the events at these positions; nil if the request would write others.
    private static func repeated(
        _ action: RequestAction, _ positions: [Position], in world: World
    ) throws(StorageError) -> WriteReceipt? {
        switch action {
        case .append(let stream, let proposals, _):
            guard proposals.count == positions.count else { return nil }
            var events: [WrittenEvent] = []
            for (position, proposal) in zip(positions, proposals) {
                let event = try world.log.written(at: position, comparedWith: proposal)
                guard event.isSame, event.stream == stream else { return nil }
                events.append(event)
            }
            return WriteReceipt(events, id: nil, isTogether: false)
        case .appendTogether(let proposals, _):
            guard proposals.count == positions.count else { return nil }
            var events: [WrittenEvent] = []
            for (position, proposal) in zip(positions, proposals) {
                let event = try world.log.written(at: position, comparedWith: proposal.event)
                guard event.isSame, event.stream == proposal.stream else { return nil }
                events.append(event)
            }
            return WriteReceipt(events, id: nil, isTogether: true)
        case .content(let write):
            return try repeatedContent(write, positions, in: world)
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .metrics,
            .clients, .checkpoint, .verify, .backup, .quit:
            return nil
        }
    }

    private static func repeatedContent(
        _ write: ContentWrite, _ positions: [Position], in world: World
    ) throws(StorageError) -> WriteReceipt? {
        guard positions.count == 1, let position = positions.first,
            case .success(let command) = write.command(of: world.schema(write.kind), in: TrustingDirectory())
        else { return nil }
        let proposal = EventProposal(body: command.event, meta: write.options.meta)
        let event = try world.log.written(at: position, comparedWith: proposal)
        guard event.isSame, let id = write.id ?? command.givenID ?? event.givenID,
            event.stream == world.schema(write.kind).stream(id)
        else { return nil }
        return WriteReceipt([event], id: id, isTogether: false)
    }
}

extension WrittenEvent {
    /// The ID of the stream if the store may have generated it; nil if a client must have chosen it.
    fileprivate var givenID: Identifier? {
        let id = stream.id
        return Identifier.given(at: position) { $0.spelling.count < id.spelling.count } == id ? id : nil
    }
}
