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
