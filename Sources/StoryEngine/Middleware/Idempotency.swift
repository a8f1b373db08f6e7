package import StoryCore
import StoryModels

/// Once for ever: answers a write whose key was seen before, without carrying it out again.
///
/// Nothing is stored for it but the key in the event itself: a request is "the same" when it would make the very
/// events that the key made the first time. So the promise holds after a replay, an export and an import, too.
enum Idempotency {
    /// Nil when the write has no key or a new one.
    ///
    /// - Throws: what reading failed with.
    static func outcome(_ action: RequestAction, in world: World) throws(StorageError) -> WriteOutcome? {
        guard let key = action.writeOptions?.key, let entry = try world.models.entry(of: key) else { return nil }
        let events = try world.log.events(at: entry.positions)
        guard let last = events.last, makes(action, events) else {
            return .refused(
                Failure(
                    .keyReused, "the key \(key) belongs to another request, at position \(entry.last.value)",
                    .position(entry.last)))
        }
        let id = Kind(category: last.stream.category.bytes).map { _ in last.stream.id }
        return .repeated(WriteReceipt(events, id: id, isTogether: action.isTogether, repeated: true))
    }

    /// True when the request would make these events.
    private static func makes(_ action: RequestAction, _ events: [Event]) -> Bool {
        if let expected = action.writeOptions?.version, let event = events.first, !found(expected, event) {
            return false
        }
        switch action {
        case .append(let stream, let proposals, _):
            return events.count == proposals.count
                && zip(events, proposals).allSatisfy { $0.stream == stream && isSame($0, $1) }
        case .appendTogether(let proposals, _):
            return events.count == proposals.count
                && zip(events, proposals).allSatisfy { event, proposal in
                    event.stream == proposal.stream && isSame(event, proposal.event)
                        && proposal.version.map { found($0, event) } ?? true
                }
        case .post, .edit, .like, .unlike, .see, .delete: return makesContent(action, events)
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .checkpoint,
            .verify, .backup, .quit:
            return false
        }
    }

    /// True when this is the version that the write found: had it asked for another one, it would have been refused.
    private static func found(_ version: Version, _ event: Event) -> Bool {
        version < event.version && version.next == event.version
    }

    private static func isSame(_ event: Event, _ proposal: EventProposal) -> Bool {
        event.meta == proposal.meta && event.tags == proposal.tags && event.body == proposal.body
    }

    private static func makesContent(_ action: RequestAction, _ events: [Event]) -> Bool {
        guard events.count == 1, let event = events.first, let write = DomainWrite(action),
            case .success(let command) = write.command(in: TrustingDirectory())
        else { return false }
        guard let id = write.id ?? command.givenID ?? event.givenID else { return false }
        return event.stream == write.kind.stream(id)
            && isSame(event, EventProposal(body: command.event, meta: write.options.meta))
    }
}

extension Event {
    /// The stream's ID where the store may have given it; nil where a client must have chosen it.
    fileprivate var givenID: Identifier? {
        let id = stream.id
        return Identifier.given(at: position) { $0.bytes.count < id.bytes.count } == id ? id : nil
    }
}

extension RequestAction {
    /// What the write carries; nil for what is no write.
    package var writeOptions: WriteOptions? {
        switch self {
        case .post(_, _, let options), .edit(_, _, _, let options), .like(_, _, let options),
            .unlike(_, _, let options), .see(_, let options), .delete(_, _, let options), .append(_, _, let options),
            .appendTogether(_, let options):
            options
        case .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping, .help, .stats, .checkpoint,
            .verify, .backup, .quit:
            nil
        }
    }

    /// True for an `APPEND *`.
    fileprivate var isTogether: Bool { if case .appendTogether = self { true } else { false } }
}
