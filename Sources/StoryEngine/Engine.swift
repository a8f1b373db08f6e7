package import StoryCore
package import StoryModels

/// The functional core's coordinator: takes one input, answers with what the shell is to do.
///
/// It reads through ports, folds what it decides into the models at once, and leaves appending, committing and
/// sending to effects. It has no clock: `now` comes with the input.
package final class Engine {
    private let store: any ModelStore
    private let log: any EventLogReading
    private var projector: Projector
    private let limits: Limits
    private let server: String
    private let identity: LogIdentity
    private let foldTimer: FoldTimer?
    private var sessions: [SessionID: Session] = [:]
    private var head: Position
    private var lastTime: Instant
    private var lastStream: StreamNumber
    private var refusal: Failure?
    private var isDraining = false

    /// The store must be folded up to the log's head.
    package init(
        store: any ModelStore, log: any EventLogReading, identity: LogIdentity, limits: Limits, server: String,
        foldTimer: FoldTimer? = nil
    ) {
        self.foldTimer = foldTimer
        self.store = store
        self.log = log
        projector = Projector(store)
        self.limits = limits
        self.server = server
        self.identity = identity
        head = log.head
        lastTime = log.lastTime ?? Instant(milliseconds: Instant.range.lowerBound)
        lastStream = StreamsModel.greatestNumber(in: store)
    }

    package func update(_ input: Input, now: Instant) -> [Effect] {
        switch input {
        case .connected(let id, let peer): return connected(id, peer)
        case .requested(let id, let request): return requested(id, request, now)
        case .disconnected(let id):
            sessions[id] = nil
            return []
        case .followingFailed(let id, let subscription, let reason):
            guard sessions[id]?.unsubscribe(subscription) == true else { return [] }
            return [.endFollowing(id, subscription, reason: reason)]
        case .rolledBack:
            projector = Projector(store)
            head = log.head
            lastTime = log.lastTime ?? Instant(milliseconds: Instant.range.lowerBound)
            lastStream = StreamsModel.greatestNumber(in: store)
            return []
        case .writesRefused(let failure):
            refusal = failure
            return []
        case .writesAllowed:
            refusal = nil
            return []
        case .drainRequested: return drain()
        }
    }

    private func connected(_ id: SessionID, _ peer: Peer) -> [Effect] {
        guard !isDraining else {
            return [.reply(id, nil, .failed(Failure.draining)), .finish(id)]
        }
        guard sessions.count < limits.connections else {
            let failure = Failure(.busy, "there are \(limits.connections) connections already; try again later")
            return [.reply(id, nil, .failed(failure)), .finish(id)]
        }
        sessions[id] = Session(peer: peer)
        let greeting = Greeting(server: server, position: head, log: identity.id, limits: limits, peer: peer)
        return [.notify(id, .greeting(greeting))]
    }

    private func drain() -> [Effect] {
        isDraining = true
        var effects: [Effect] = []
        for id in sessions.keys.sorted(by: { $0.value < $1.value }) {
            for subscription in sessions[id]?.endAll() ?? [] {
                effects.append(.endFollowing(id, subscription, reason: .draining))
            }
            effects.append(.notify(id, .draining(head)))
            effects.append(.finish(id))
        }
        return effects
    }

    private var world: World { World(store: store, log: log, head: head, limits: limits, identity: identity) }

    private func requested(_ id: SessionID, _ request: Request, _ now: Instant) -> [Effect] {
        guard let session = sessions[id] else { return [] }
        if isDraining { return [.reply(id, request.tag, .failed(Failure.draining))] }
        let answer: Reply
        switch request.action {
        case .get(let kind, let target, let moment):
            answer = Browse.row(kind, target, at: moment, in: world)
        case .list(let query): return BrowseOrdered.page(query, in: world).map { .reply(id, request.tag, $0) }
        case .count(let kind, let filters):
            answer = .done(.counted(CountRows.count(kind, filters, in: world), position: head))
        case .sorts(let kind): return BrowseOrdered.sorts(kind).map { .reply(id, request.tag, $0) }
        case .read(let query):
            do throws(Failure) {
                return [.read(id, request.tag, try ReadEvents.plan(query, in: world))]
            } catch {
                answer = .failed(error)
            }
        case .streams(let query): return BrowseStreams.page(query, in: world).map { .reply(id, request.tag, $0) }
        case .subscribe(let query): return subscribe(id, request.tag, query)
        case .unsubscribe(let subscription): return unsubscribe(id, request.tag, subscription)
        case .ping: answer = .done(.members([Member("position", .count(head.value))]))
        case .help(let topic): return [.help(id, request.tag, topic: topic)]
        case .stats: return [.report(id, request.tag)]
        case .checkpoint: return [.checkpoint(id, request.tag)]
        case .verify: return [.verify(id, request.tag)]
        case .backup(let path): return [.backUp(id, request.tag, path: String(decoding: path, as: UTF8.self))]
        case .quit:
            let members = [Member("bye", .flag(true)), Member("position", .count(head.value))]
            return [.reply(id, request.tag, .done(.members(members))), .finish(id)]
        case .append(let stream, let proposals, let options):
            return write(id, session, request, now) { AppendEvents.attempt(stream, proposals, options, in: $0) }
        case .appendTogether(let proposals, let options):
            return write(id, session, request, now) { AppendTogether.attempt(proposals, options, in: $0) }
        case .post, .edit, .like, .unlike, .see, .delete:
            return write(id, session, request, now) { world in
                DomainWrite(request.action).map { WriteContent.attempt($0, in: world) }
                    ?? .refused(Failure(.internal, "\(request.action.verb.rawValue) is no write"))
            }
        }
        return [.reply(id, request.tag, answer)]
    }

    private func subscribe(
        _ id: SessionID, _ tag: Tag?, _ query: SubscribeQuery
    ) -> [Effect] {
        let start: Position
        do throws(Failure) {
            start = try FollowEvents.start(query, in: world)
        } catch {
            return [.reply(id, tag, .failed(error))]
        }
        guard let subscription = sessions[id]?.subscribe(limit: limits.subscriptions) else {
            let message = "a connection has at most \(limits.subscriptions) subscriptions; UNSUBSCRIBE one first"
            return [.reply(id, tag, .failed(Failure(.tooLarge, message, .limit(limits.subscriptions))))]
        }
        return [
            .reply(id, tag, .done(.subscribed(subscription, position: head))),
            .follow(id, subscription, query.selection, from: start),
        ]
    }

    private func unsubscribe(_ id: SessionID, _ tag: Tag?, _ subscription: SubscriptionID) -> [Effect] {
        guard sessions[id]?.unsubscribe(subscription) == true else {
            return [.reply(id, tag, .failed(.notFound("subscription \(subscription.value) of this connection")))]
        }
        let members = [Member("unsubscribed", .count(subscription.value)), Member("position", .count(head.value))]
        return [.unfollow(id, subscription), .reply(id, tag, .done(.members(members)))]
    }

    private func write(
        _ id: SessionID, _ session: Session, _ request: Request, _ now: Instant, _ attempt: (World) -> WriteOutcome
    ) -> [Effect] {
        let world = world
        let outcome = Idempotency.outcome(request.action, in: world) ?? attempt(world)
        switch outcome {
        case .refused(let failure): return [.reply(id, request.tag, .failed(failure))]
        case .repeated(let receipt): return receipt.replies.map { .reply(id, request.tag, $0) }
        case .unchanged(let target, let stream, let head):
            let done = Done.unchanged(id: target, stream: stream, version: head.version, position: head.position)
            return [.reply(id, request.tag, .done(done))]
        case .happened(let happening):
            if let refusal { return [.reply(id, request.tag, .failed(refusal))] }
            return append(happening, by: session.peer.uid, now, replyingTo: id, request.tag)
        case .happenedTogether(let happening):
            if let refusal { return [.reply(id, request.tag, .failed(refusal))] }
            let (events, replies) = appendTogether(happening, by: session.peer.uid, now)
            return events.map { .append($0) } + replies.map { .reply(id, request.tag, $0) }
        }
    }

    /// The short way of one event without options to a stream of the users' own: places it and folds it in.
    ///
    /// Nothing but a refusal of all writes can keep such an event out. The shell then appends it to the log and answers
    /// with its receipt.
    /// - Returns: nil when writes are refused now: then nothing was done.
    package func appendPlainly(
        to stream: UnsafeRawBufferPointer, categoryCount: Int, typeCount: Int, by uid: UInt32, now: Instant
    ) -> EventPlace? {
        guard refusal == nil, !isDraining else { return nil }
        let known = StreamsModel.head(at: stream, in: store)
        let number = place(after: known, now)
        head = head.next
        let after = StreamsModel.Head(number: number, version: (known?.version ?? .zero).next, position: head)
        measuringFold(nil) { projector.foldPlace(after, stream, categoryCount: categoryCount) }
        return EventPlace(
            position: head, streamNumber: number, version: after.version, time: lastTime, by: uid,
            streamCount: stream.count, typeCount: typeCount)
    }

    /// The number of a stream that is appended to, given now when it is new; the time of its events is now.
    @inline(__always)
    private func place(after known: StreamsModel.Head?, _ now: Instant) -> StreamNumber {
        lastTime = max(lastTime, now)
        let number = known?.number ?? StreamNumber(lastStream.value + 1)
        lastStream = max(lastStream, number)
        return number
    }

    @inline(__always)
    private func measuringFold(_ kind: @autoclosure () -> Kind?, _ fold: () -> Void) {
        if let foldTimer { foldTimer.measure(kind(), fold) } else { fold() }
    }

    /// Places the events, folds them in, and answers with the receipt of the last one.
    private func append(
        _ happening: Happening, by uid: UInt32, _ now: Instant, replyingTo id: SessionID, _ tag: Tag?
    ) -> [Effect] {
        let number = place(after: happening.head, now)
        var version = happening.head?.version ?? .zero
        var effects: [Effect] = []
        effects.reserveCapacity(happening.events.count + 1)
        for proposed in happening.events {
            head = head.next
            version = version.next
            let event = Event(
                position: head, stream: happening.stream, streamNumber: number, version: version, time: lastTime,
                by: uid, key: happening.key, tags: proposed.tags, meta: proposed.meta, body: proposed.body)
            measuringFold(event.body.kind) { projector.fold(event) }
            effects.append(.append(event))
        }
        let receipt = Receipt(
            id: happening.id, stream: happening.stream, version: version, position: head, time: lastTime)
        effects.append(.reply(id, tag, .done(.receipt(receipt))))
        return effects
    }

    /// Places the events of several streams and folds them in.
    private func appendTogether(
        _ happening: JointHappening, by uid: UInt32, _ now: Instant
    ) -> (events: [Event], replies: [Reply]) {
        lastTime = max(lastTime, now)
        var placement = Placement(after: head, lastStream, at: lastTime)
        let events = placement.events(happening, by: uid)
        (head, lastStream) = (placement.head, placement.lastStream)
        for event in events { measuringFold(event.body.kind) { projector.fold(event) } }
        return (events, WriteReceipt(events, id: nil, isTogether: true).replies)
    }
}

extension Failure {
    package static let draining = Failure(.draining, "the server is ending; connect again in a moment")
}
