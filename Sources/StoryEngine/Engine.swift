package import StoryCore
package import StoryModels

/// The coordinator of the functional core: handles one request at a time, and writes the results to its output.
///
/// It reads through ports. Its output appends, commits and sends, and has the engine fold each event as soon as it is
/// in the log, so that the next request sees it. It has no clock: `now` comes with the request.
package final class Engine {
    let idempotency: Idempotency
    let world: World
    let limits: Limits
    let identity: LogIdentity
    // Held directly to avoid a retain and release on each request.
    @exclusivity(unchecked) package private(set) var catalogue: Catalogue
    private let projector: ModelProjector
    private let changes = RowChanges()
    private let server: String
    private let durability: Durability
    private let foldTimer: FoldTimer
    /// The last event that was appended, durable or not.
    @exclusivity(unchecked) package internal(set) var head: Position
    @exclusivity(unchecked) var lastTime: Instant
    @exclusivity(unchecked) var lastStream: StreamNumber
    /// The reason why writes are refused now; nil while they are accepted.
    @exclusivity(unchecked) package private(set) var refusal: Failure?
    /// True once the program is asked to end.
    @exclusivity(unchecked) package private(set) var isDraining = false

    /// Creates an engine over a store that is folded up to the log's head.
    ///
    /// - Parameters:
    ///   - json: the reader of the data of events that are folded.
    ///   - says: returns whether a record has the type, data, meta and tags that a proposal would be written with.
    ///   - foldTimer: counts and times folds; nil if nothing reads the figures.
    /// - Throws: the error of reading the models.
    package init(
        _ plan: CataloguePlan, store: any TableStore, json: any JSONReading, log: any EventLogReading,
        says: @escaping (EventProposal, EventRecord) -> Bool, identity: LogIdentity, limits: Limits, server: String,
        durability: Durability = .fsync,
        foldTimer: FoldTimer? = nil
    ) throws(StorageError) {
        self.foldTimer = foldTimer ?? FoldTimer(plan.catalogue, clock: { 0 }) { _, _ in }
        catalogue = plan.catalogue
        world = World(plan, store: store, json: json, log: log)
        idempotency = Idempotency(world: world, says: says)
        self.limits = limits
        self.identity = identity
        projector = ModelProjector(plan, store: store, json: json, telling: changes)
        self.server = server
        self.durability = durability
        head = log.head
        lastTime = log.lastTime ?? Instant(milliseconds: Instant.range.lowerBound)
        lastStream = try world.streams.lastNumber()
    }

    /// The plan of the present catalogue.
    package var plan: CataloguePlan { world.plan }

    /// A reader of durable rows, for subscriptions to rows and lists.
    package var watcher: RowWatcher { RowWatcher(world) }

    // MARK: Inputs

    /// Resets the engine after everything since the last commit was rolled back in the log and the models.
    ///
    /// - Throws: the error of reading the models.
    package func rolledBack() throws(StorageError) {
        head = world.log.head
        lastTime = world.log.lastTime ?? Instant(milliseconds: Instant.range.lowerBound)
        lastStream = try world.streams.lastNumber()
        changes.rolledBack()
    }

    /// Folds the record of an event that the log has taken; the record is valid until the call returns.
    ///
    /// - Parameter prior: the state before the event, as it was passed to the output.
    /// - Throws: the error of the models, which are then no fold of the log any more.
    package func fold(_ record: EventRecord, after prior: PriorState) throws(StorageError) {
        let stream = projector.kind(of: record)
        guard foldTimer.comesDue(stream?.kind) else {
            return try projector.fold(record, of: stream, after: prior)
        }
        try foldTimer.measure(stream?.kind) { () throws(StorageError) in
            try projector.fold(record, of: stream, after: prior)
        }
    }

    /// Reads, folds and answers by a catalogue that follows the present one from now on, between two turns. Requests of
    /// a kind that it lacks, and answers under way about one, are `unknown`; the caller ends the subscriptions.
    package func catalogueReplaced(by plan: CataloguePlan) {
        precondition(
            plan.catalogue.follows(catalogue),
            "the catalogue of epoch \(plan.catalogue.epoch) does not follow that of epoch \(catalogue.epoch)")
        catalogue = plan.catalogue
        world.catalogueReplaced(by: plan)
        projector.catalogueReplaced(by: plan)
        foldTimer.catalogueReplaced(by: plan.catalogue)
    }

    /// Refuses each write with this failure from now on; nil accepts writes again.
    package func writesRefused(_ failure: Failure?) { refusal = failure }

    /// Refuses new requests and connections: the program is asked to end.
    package func drainRequested() { isDraining = true }

    /// Greets a client beside `count` other connections; returns false if it was refused instead.
    package func connected(_ peer: Peer, beside count: Int, into output: any TurnOutput) -> Bool {
        guard !isDraining else {
            output.reply(.failed(Failure.draining), tag: nil, restsOn: .zero)
            return false
        }
        // The last connection is kept for an administrator, who can list the others and end them.
        let most = peer.role == .admin ? limits.connections : max(1, limits.connections - 1)
        guard count < most else {
            let count = most == 1 ? "is 1 connection" : "are \(most) connections"
            let failure = Failure(.busy, "there \(count) already; try again later")
            output.reply(.failed(failure), tag: nil, restsOn: .zero)
            return false
        }
        let greeting = Greeting(
            server: server, position: output.durable, durable: durability, log: identity.id, limits: limits,
            peer: peer)
        output.notify(.greeting(greeting))
        return true
    }

    /// Answers a request, or begins to.
    package func handle(
        _ request: borrowing Request, from session: inout Session, now: Instant, into output: any TurnOutput
    ) {
        let tag = request.tag
        guard !isDraining else { return output.reply(.failed(Failure.draining), tag: tag, restsOn: .zero) }
        do throws(StorageError) {
            try answer(request.action, tag, from: &session, now, output)
        } catch {
            output.reply(.failed(.storage(error)), tag: tag, restsOn: .zero)
        }
    }

    /// Adds a row to a batch of `GET` requests that are answered together; returns false for a kind that was removed.
    package func want(_ kind: Kind, _ id: Identifier, tag: Tag?, in rows: inout WantedRows) -> Bool {
        guard let schema = catalogue.schema(of: kind) else { return false }
        rows.add(schema.rows.number, kind, id, tag)
        return true
    }

    /// Answers each row of a batch, in the order of the requests.
    ///
    /// - Parameter begin: called with the index of each row before its answer is written to the output.
    package func answer(
        _ rows: borrowing WantedRows, into output: any TurnOutput, _ begin: (_ index: Int) -> Void
    ) {
        let browse = BrowseTogether(world: world, head: head, output: output)
        guard !isDraining else { return browse.refuse(rows, Failure.draining, begin) }
        browse.answer(rows, begin)
    }

    /// Refuses a write whose values are wrong; a key that belongs to another request takes precedence.
    package func refuse(
        _ failure: Failure, _ key: RequestKey, tag: Tag?, for session: borrowing Session, into output: any TurnOutput
    ) {
        guard !isDraining else { return output.reply(.failed(Failure.draining), tag: tag, restsOn: .zero) }
        do throws(StorageError) {
            let mayWrite = session.peer.role >= .write
            guard mayWrite, let entry = try world.keys.entry(of: key) else {
                return output.reply(.failed(failure), tag: tag, restsOn: .zero)
            }
            let reused = Idempotency.reused(key, entry.last)
            output.reply(.failed(reused), tag: tag, restsOn: entry.last)
        } catch {
            output.reply(.failed(.storage(error)), tag: tag, restsOn: .zero)
        }
    }

    private func answer(
        _ action: RequestAction, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        // The line may have been read before its kind was removed.
        if let kind = action.kind, catalogue.schema(of: kind) == nil {
            return output.reply(.failed(.removedKind), tag: tag, restsOn: .zero)
        }
        switch action {
        case .get(let kind, let id, nil):
            var rows = WantedRows()
            _ = want(kind, id, tag: tag, in: &rows)
            self.answer(rows, into: output) { _ in }
        case .get(let kind, let id, let moment?):
            let browse = Browse(kind: world.schema(kind), id: id, world: world, head: head, tag: tag, output: output)
            try browse.at(moment)
        case .list(let query): list(query, tag, output)
        case .count(let kind, let conditions): try count(world.schema(kind), conditions, tag, output)
        case .sorts(let kind):
            for line in BrowseOrdered.sorts(world.schema(kind)) { output.reply(line, tag: tag, restsOn: .zero) }
        case .streams(let query): output.answer(with: BrowseStreams(query, in: source), tag: tag, restsOn: .zero)
        case .read(let query): read(query, tag, output)
        case .subscribe(let query): subscribe(&session, tag, query, output)
        case .unsubscribe(let id): unsubscribe(&session, tag, id, output)
        case .ping: acknowledge([], session, tag, output)
        case .help(let topic): output.start(.help(topic: topic), tag: tag)
        case .stats: output.start(.report, tag: tag)
        case .metrics: output.start(.metrics, tag: tag)
        case .clients(let number): output.start(.clients(number), tag: tag)
        case .checkpoint: output.start(.checkpoint, tag: tag)
        case .verify(let moment): verify(moment, tag, output)
        case .backup(let path): output.start(.backUp(path: String(decoding: path, as: UTF8.self)), tag: tag)
        case .quit:
            session.endSubscriptions(.quit, into: output)
            acknowledge([Member("bye", .flag(true))], session, tag, output)
            output.finish()
        case .append, .appendTogether, .content:
            try write(action, tag, from: &session, now, output)
        }
    }

    private func verify(_ moment: Moment?, _ tag: Tag?, _ output: any TurnOutput) {
        do throws(Failure) {
            let position = try moment.map { (moment) throws(Failure) in
                try world.position(of: moment, endingAt: output.durable)
            }
            output.start(.verify(sealAt: position), tag: tag)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
    }

    // MARK: Queries

    /// The present models at each step of an answer, durable or not. The result rests on the head at the last step, so
    /// an answer that has not begun rests on nothing.
    private var source: QuerySource {
        QuerySource(world: world, limits: limits, changes: changes, head: { self.head })
    }

    private func list(_ query: ListQuery, _ tag: Tag?, _ output: any TurnOutput) {
        do throws(Failure) {
            let page = try BrowseOrdered.page(query, of: world.schema(query.kind), in: source)
            output.answer(with: page, tag: tag, restsOn: .zero)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
    }

    private func count(
        _ kind: KindSchema, _ conditions: [Condition], _ tag: Tag?, _ output: any TurnOutput
    ) throws(StorageError) {
        switch try CountRows.answer(kind, conditions, in: source) {
        case .known(let count): output.reply(.done(.counted(count, position: head)), tag: tag, restsOn: head)
        case .counting(let cursor): output.answer(with: cursor, tag: tag, restsOn: .zero)
        }
    }

    /// Replies with the end of the log: the last durable event, or a later one that this connection wrote.
    private func acknowledge(_ members: [Member], _ session: Session, _ tag: Tag?, _ output: any TurnOutput) {
        let position = max(output.durable, session.lastWritten)
        let done = Done.members(members + [Member("position", .count(position.value))])
        output.reply(.done(done), tag: tag, restsOn: position)
    }

    private func read(_ query: ReadQuery, _ tag: Tag?, _ output: any TurnOutput) {
        do throws(Failure) {
            let plan = try ReadEvents.plan(query, in: world, endingAt: output.durable, identity)
            output.answer(with: ReadAnswer(plan, log: world.log, index: world.streams), tag: tag, restsOn: .zero)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
    }
}
