package import StoryCore
import StoryFold

/// Requests that write.
extension Engine {
    /// The requests about declared models.
    package var models: ModelRequests {
        ModelRequests(world: world, feed: feed, notLeader: notLeader, refusal: refusal)
    }
    /// The requests about erasures, and their ends.
    package var erasures: ErasureRequests {
        ErasureRequests(world: world, identity: identity, notLeader: notLeader, refusal: refusal)
    }
    /// The requests that make, change, reset and drop cursors.
    var cursors: ChangeCursors {
        ChangeCursors(
            world: world, cursors: HeldCursors(world: world, shares: shares), identity: identity, notLeader: notLeader,
            refusal: refusal)
    }
    /// The requests of workers.
    package var workers: WorkerRequests {
        WorkerRequests(
            world: world, shares: shares, identity: identity, limit: limits.subscriptions, notLeader: notLeader,
            refusal: refusal)
    }
    var parking: ParkingRequests {
        ParkingRequests(
            world: world, cursors: HeldCursors(world: world, shares: shares), notLeader: notLeader, refusal: refusal)
    }
    func write(
        _ action: WriteAction, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        switch action {
        case .define(let request): try models.define(request, tag, from: &session, now, output)
        case .undefine(let name):
            if try models.undefine(name, tag, from: &session, now, output) { undefine(name) }
        case .erase(let request): try erasures.erase(request, tag, from: &session, now, output)
        case .cursor(let request): cursors.define(request, tag, from: &session, now, output)
        case .ack(let mark): workers.acknowledge(mark, tag, from: &session, now, output)
        case .fail(let request): workers.fail(request, tag, from: &session, now, output)
        case .retry(let request): parking.retry(request, tag, from: &session, now, output)
        case .discard(let request): parking.discard(request, tag, from: &session, now, output)
        case .reset(let request): cursors.reset(request, tag, from: &session, now, output)
        case .drop(let name): cursors.drop(name, tag, from: &session, now, output)
        case .content, .append, .appendTogether:
            try eventWrites.write(action, tag, unless: refusal, from: &session, now, output)
        }
    }

    /// Refuses a write whose values are wrong; a key that belongs to another request takes precedence.
    package func refuse(
        _ failure: Failure, _ key: RequestKey, tag: Tag?, for session: borrowing Session, into output: any TurnOutput
    ) {
        guard !output.isEnding else { return output.reply(.failed(Failure.draining), tag: tag, restsOn: .zero) }
        flush()
        do throws(StorageError) {
            let mayWrite = session.peer.role.includes(.write)
            guard mayWrite, let entry = try world.keys.provenEntry(of: key) else {
                return output.reply(.failed(failure), tag: tag, restsOn: .zero)
            }
            let reused = Idempotency.reused(key, entry.last)
            output.reply(.failed(reused), tag: tag, restsOn: entry.last)
        } catch {
            output.reply(.failed(.storage(error)), tag: tag, restsOn: .zero)
        }
    }
}

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
