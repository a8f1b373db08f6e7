import StoryCore
import StoryModels

/// Once for ever: answers a write whose key was seen before, without carrying it out again.
///
/// Nothing is stored for it but the key in the event itself: a request is "the same" when it would write the very
/// events that the key wrote the first time. So the promise holds after a replay, an export and an import, too.
enum Idempotency {
    /// Nil when the write's key is a new one.
    ///
    /// - Throws: what reading failed with.
    static func outcome(
        of action: RequestAction, _ key: RequestKey, in world: World
    ) throws(StorageError) -> WriteOutcome? {
        guard let entry = try world.models.entry(of: key) else { return nil }
        if let receipt = try repeated(action, entry.positions, in: world) { return .repeated(receipt) }
        return .refused(reused(key, entry.last))
    }

    /// - Parameter last: where the last event of the request that has the key lies.
    static func reused(_ key: RequestKey, _ last: Position) -> Failure {
        let message = "the key \(key) belongs to another request, at position \(last.value)"
        return Failure(.keyReused, message, .position(last))
    }

    /// The receipt of the events at these positions; nil when the request would write others.
    private static func repeated(
        _ action: RequestAction, _ positions: [Position], in world: World
    ) throws(StorageError) -> WriteReceipt? {
        switch action {
        case .append(let stream, let proposals, let options):
            guard proposals.count == positions.count else { return nil }
            var events: [WrittenEvent] = []
            for (position, proposal) in zip(positions, proposals) {
                let event = try world.log.written(at: position, comparedWith: proposal)
                let version = events.isEmpty ? options.version : nil
                guard event.isSame, event.stream == stream, found(version, event) else { return nil }
                events.append(event)
            }
            return WriteReceipt(events, id: nil, isTogether: false)
        case .appendTogether(let proposals, _):
            guard proposals.count == positions.count else { return nil }
            var events: [WrittenEvent] = []
            for (position, proposal) in zip(positions, proposals) {
                let event = try world.log.written(at: position, comparedWith: proposal.event)
                guard event.isSame, event.stream == proposal.stream, found(proposal.version, event) else { return nil }
                events.append(event)
            }
            return WriteReceipt(events, id: nil, isTogether: true)
        case .post, .edit, .like, .unlike, .see, .delete:
            return try repeatedContent(action, positions, in: world)
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .checkpoint,
            .verify, .backup, .quit:
            return nil
        }
    }

    private static func repeatedContent(
        _ action: RequestAction, _ positions: [Position], in world: World
    ) throws(StorageError) -> WriteReceipt? {
        guard positions.count == 1, let position = positions.first, let write = ContentWrite(action),
            case .success(let command) = write.command(of: world.models.schema(write.kind), in: TrustingDirectory())
        else { return nil }
        let proposal = EventProposal(body: command.event, meta: write.options.meta)
        let event = try world.log.written(at: position, comparedWith: proposal)
        guard event.isSame, found(write.options.version, event),
            let id = write.id ?? command.givenID ?? event.givenID,
            event.stream == world.models.schema(write.kind).stream(id)
        else { return nil }
        return WriteReceipt([event], id: id, isTogether: false)
    }

    /// True when this is the version that the write found: had it asked for another one, it would have been refused.
    private static func found(_ version: Version?, _ event: WrittenEvent) -> Bool {
        guard let version else { return true }
        return version < event.version && version.next == event.version
    }
}

extension WrittenEvent {
    /// The stream's ID where the store may have given it; nil where a client must have chosen it.
    fileprivate var givenID: Identifier? {
        let id = stream.id
        return Identifier.given(at: position) { $0.spelling.count < id.spelling.count } == id ? id : nil
    }
}
