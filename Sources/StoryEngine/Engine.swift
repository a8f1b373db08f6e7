package import StoryCore
package import StoryModels

/// The functional core's coordinator: handles one request at a time, and writes what follows from it to its output.
///
/// It reads through ports and folds what it decides into the models at once; appending, committing and sending are its
/// output's. It has no clock: `now` comes with the request.
package final class Engine {
    let store: any ModelStore
    private let log: any EventLogReading
    private var projector: Projector
    private let changes = RowChanges()
    private let limits: Limits
    private let server: String
    private let identity: LogIdentity
    private let foldTimer: FoldTimer?
    /// The last event that was decided, durable or not.
    package private(set) var head: Position
    private var lastTime: Instant
    private var lastStream: StreamNumber
    /// Why writes are refused now; nil while they are taken.
    package private(set) var refusal: Failure?
    /// True once the program is asked to end.
    package private(set) var isDraining = false

    /// The store must be folded up to the log's head.
    package init(
        store: any ModelStore, log: any EventLogReading, identity: LogIdentity, limits: Limits, server: String,
        foldTimer: FoldTimer? = nil
    ) {
        self.foldTimer = foldTimer
        self.store = store
        self.log = log
        projector = Projector(store, telling: changes)
        self.limits = limits
        self.server = server
        self.identity = identity
        head = log.head
        lastTime = log.lastTime ?? Instant(milliseconds: Instant.range.lowerBound)
        lastStream = StreamsModel.greatestNumber(in: store)
    }

    // MARK: What happened

    /// What was folded since the last commit is undone; the log and the models are as they were before.
    package func rolledBack() {
        projector = Projector(store, telling: changes)
        head = log.head
        lastTime = log.lastTime ?? Instant(milliseconds: Instant.range.lowerBound)
        lastStream = StreamsModel.greatestNumber(in: store)
        changes.rolledBack()
    }

    /// From now on each write is answered with this failure; nil: writes are taken.
    package func writesRefused(_ failure: Failure?) { refusal = failure }

    /// The program is asked to end: nothing more is taken up.
    package func drainRequested() { isDraining = true }

    /// A client connected, beside so many others; false when it is told why it cannot stay.
    package func connected(_ peer: Peer, beside count: Int, into output: any TurnOutput) -> Bool {
        guard !isDraining else {
            output.reply(.failed(Failure.draining), tag: nil, restsOn: .zero)
            return false
        }
        guard count < limits.connections else {
            let failure = Failure(.busy, "there are \(limits.connections) connections already; try again later")
            output.reply(.failed(failure), tag: nil, restsOn: .zero)
            return false
        }
        let greeting = Greeting(
            server: server, position: output.durable, log: identity.id, limits: limits, peer: peer)
        output.notify(.greeting(greeting))
        return true
    }

    /// Answers a request, or begins to.
    package func handle(
        _ request: Request, from session: inout Session, now: Instant, into output: any TurnOutput
    ) {
        let tag = request.tag
        guard !isDraining else { return output.reply(.failed(Failure.draining), tag: tag, restsOn: .zero) }
        switch request.action {
        case .get(let kind, let id, let moment): get(kind, id, moment, tag, output)
        case .list(let query): list(query, tag, output)
        case .count(let kind, let filters): count(kind, filters, tag, output)
        case .sorts(let kind):
            for line in BrowseOrdered.sorts(kind) { output.reply(line, tag: tag, restsOn: .zero) }
        case .streams(let query): output.answer(with: BrowseStreams(query, in: source), tag: tag, restsOn: .zero)
        case .read(let query): read(query, tag, output)
        case .subscribe(let query): subscribe(&session, tag, query, output)
        case .unsubscribe(let id): unsubscribe(&session, tag, id, output)
        case .ping: acknowledge([], session, tag, output)
        case .help(let topic): output.start(.help(topic: topic), tag: tag)
        case .stats: output.start(.report, tag: tag)
        case .checkpoint: output.start(.checkpoint, tag: tag)
        case .verify: output.start(.verify, tag: tag)
        case .backup(let path): output.start(.backUp(path: String(decoding: path, as: UTF8.self)), tag: tag)
        case .quit:
            session.endSubscriptions(.quit, into: output)
            acknowledge([Member("bye", .flag(true))], session, tag, output)
            output.finish()
        case .append(let stream, let proposals, let options):
            write(request, &session, now, output) { AppendEvents.attempt(stream, proposals, options, in: $0) }
        case .appendTogether(let proposals, let options):
            write(request, &session, now, output) { AppendTogether.attempt(proposals, options, in: $0) }
        case .post, .edit, .like, .unlike, .see, .delete:
            write(request, &session, now, output) { world in
                DomainWrite(request.action).map { WriteContent.attempt($0, in: world) }
                    ?? .refused(Failure(.internal, "\(request.action.verb.rawValue) is no write"))
            }
        }
    }

    // MARK: Queries

    private var world: World { world(endingAt: head) }

    private func world(endingAt head: Position) -> World {
        World(store: store, log: log, head: head, limits: limits, identity: identity)
    }

    /// The models as they are whenever it is asked, durable or not. What comes of them rests on the position that the
    /// step ends at, so that an answer which has not begun rests on nothing.
    private var source: QuerySource { QuerySource(world: { self.world }, changes: changes) }

    private func get(_ kind: Kind, _ id: Identifier, _ moment: Moment?, _ tag: Tag?, _ output: any TurnOutput) {
        let basis = basis(of: kind, id, moment, output)
        switch Browse.row(kind, id, at: moment, in: world, restsOn: basis) {
        case .known(let reply): output.reply(reply, tag: tag, restsOn: basis)
        case .folding(let cursor): output.answer(with: cursor, tag: tag, restsOn: basis)
        }
    }

    private func list(_ query: ListQuery, _ tag: Tag?, _ output: any TurnOutput) {
        do throws(Failure) {
            output.answer(with: try BrowseOrdered.page(query, in: source), tag: tag, restsOn: .zero)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
    }

    private func count(_ kind: Kind, _ filters: [Filter], _ tag: Tag?, _ output: any TurnOutput) {
        switch CountRows.answer(kind, filters, in: source) {
        case .known(let count): output.reply(.done(.counted(count, position: head)), tag: tag, restsOn: head)
        case .counting(let cursor): output.answer(with: cursor, tag: tag, restsOn: .zero)
        }
    }

    /// Says how far the log is, for this connection at least as far as it wrote itself.
    private func acknowledge(_ members: [Member], _ session: Session, _ tag: Tag?, _ output: any TurnOutput) {
        let position = max(output.durable, session.lastWritten)
        let done = Done.members(members + [Member("position", .count(position.value))])
        output.reply(.done(done), tag: tag, restsOn: position)
    }

    private func read(_ query: ReadQuery, _ tag: Tag?, _ output: any TurnOutput) {
        do throws(Failure) {
            output.read(try ReadEvents.plan(query, in: world(endingAt: output.durable)), tag: tag)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
    }

    private func subscribe(
        _ session: inout Session, _ tag: Tag?, _ query: SubscribeQuery, _ output: any TurnOutput
    ) {
        let head = output.durable
        let start: Position
        do throws(Failure) {
            start = try FollowEvents.start(query, in: world(endingAt: head))
        } catch {
            return output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
        guard let id = session.subscribe(query.selection, from: start, limit: limits.subscriptions) else {
            let message = "a connection has at most \(limits.subscriptions) subscriptions; UNSUBSCRIBE one first"
            let failure = Failure(.tooLarge, message, .limit(limits.subscriptions))
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        output.reply(.done(.subscribed(id, position: head)), tag: tag, restsOn: .zero)
    }

    private func unsubscribe(
        _ session: inout Session, _ tag: Tag?, _ id: SubscriptionID, _ output: any TurnOutput
    ) {
        guard let ended = session.unsubscribe(id) else {
            let failure = Failure.notFound("subscription \(id.value) of this connection")
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        let members = [Member("unsubscribed", .count(id.value)), Member("resume", .count(ended.next.value))]
        output.reply(.done(.members(members)), tag: tag, restsOn: .zero)
    }

    // MARK: Writes

    private func write(
        _ request: Request, _ session: inout Session, _ now: Instant, _ output: any TurnOutput,
        _ attempt: (World) -> WriteOutcome
    ) {
        let world = world
        let tag = request.tag
        switch Idempotency.outcome(request.action, in: world) ?? attempt(world) {
        case .refused(let failure):
            output.reply(.failed(failure), tag: tag, restsOn: basis(of: failure, request.action, output))
        case .repeated(let receipt):
            answer(receipt, &session, tag, output)
        case .unchanged(let id, let stream, let head):
            let done = Done.unchanged(id: id, stream: stream, version: head.version, position: head.position)
            output.reply(.done(done), tag: tag, restsOn: head.position)
        case .happened(let happening):
            if let refusal { return output.reply(.failed(refusal), tag: tag, restsOn: .zero) }
            let receipt = append(happening, by: session.peer.uid, now, output)
            session.wrote(receipt.position)
            output.reply(.done(.receipt(receipt)), tag: tag, restsOn: receipt.position)
        case .happenedTogether(let happening):
            if let refusal { return output.reply(.failed(refusal), tag: tag, restsOn: .zero) }
            answer(appendTogether(happening, by: session.peer.uid, now, output), &session, tag, output)
        }
    }

    /// Writes what a write is answered with, which rests on the last event that it made.
    private func answer(_ receipt: WriteReceipt, _ session: inout Session, _ tag: Tag?, _ output: any TurnOutput) {
        session.wrote(receipt.position)
        for line in receipt.replies { output.reply(line, tag: tag, restsOn: receipt.position) }
    }

    /// Numbers the events of one stream, folds them in, appends them; returns the receipt of the last one.
    private func append(
        _ happening: Happening, by uid: UInt32, _ now: Instant, _ output: any TurnOutput
    ) -> Receipt {
        let number = number(after: happening.head, now)
        var version = happening.head?.version ?? .zero
        for proposed in happening.events {
            head = head.next
            version = version.next
            let event = Event(
                position: head, stream: happening.stream, streamNumber: number, version: version, time: lastTime,
                by: uid, key: happening.key, tags: proposed.tags, meta: proposed.meta, body: proposed.body)
            measuringFold(event.body.kind) { projector.fold(event) }
            output.append(event)
        }
        return Receipt(id: happening.id, stream: happening.stream, version: version, position: head, time: lastTime)
    }

    /// Places the events of several streams, folds them in and appends them.
    private func appendTogether(
        _ happening: JointHappening, by uid: UInt32, _ now: Instant, _ output: any TurnOutput
    ) -> WriteReceipt {
        lastTime = max(lastTime, now)
        var placement = Placement(after: head, lastStream, at: lastTime)
        let events = placement.events(happening, by: uid)
        (head, lastStream) = (placement.head, placement.lastStream)
        for event in events {
            measuringFold(event.body.kind) { projector.fold(event) }
            output.append(event)
        }
        return WriteReceipt(events, isTogether: true)
    }

    /// The number of a stream that is appended to, given now when it is new; the time of its events is now.
    @inline(__always)
    private func number(after known: StreamsModel.Head?, _ now: Instant) -> StreamNumber {
        lastTime = max(lastTime, now)
        let number = known?.number ?? StreamNumber(lastStream.value + 1)
        lastStream = max(lastStream, number)
        return number
    }

    @inline(__always)
    private func measuringFold(_ kind: @autoclosure () -> Kind?, _ fold: () -> Void) {
        if let foldTimer { foldTimer.measure(kind(), fold) } else { fold() }
    }
}
