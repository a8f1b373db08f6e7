package import StoryCore
package import StoryFold

/// The coordinator of the functional core: handles one request at a time, and writes the results to its output.
///
/// It reads through ports. Its output appends, folds, commits and sends; an event is folded as soon as it is in the log,
/// so that the next request sees it. It has no clock: `now` comes with the request.
package final class Engine {
    let world: World
    let eventWrites: EventWrites
    package let limits: Limits
    package let identity: LogIdentity
    /// The catalogue that requests are handled by; held directly to avoid a retain and release on each request.
    package private(set) var catalogue: Catalogue
    /// The shares of cursors that connections hold.
    package let shares: Shares
    /// The row changes of folded events, for subscriptions and counts.
    package let feed: ChangeFeed
    private let server: String
    private let durability: Durability
    /// The rows that were asked for since the last flush, and the output of their answers; nil while there are none.
    private var requestedRows = RequestedRows()
    private var requestedOutput: (any TurnOutput)?
    /// The look-up in the store that they are in.
    private var requestedLookup: RowLookup?
    /// The reason why writes are refused now; nil while they are accepted.
    package private(set) var refusal: Failure?
    /// The declared models that this turn undefined, until the catalogue is without them.
    private var undefined: [Kind] = []
    /// The failure of each write at a replica; nil where this store takes writes.
    let notLeader: Failure?

    /// Creates an engine over a store that is folded up to the log's head.
    ///
    /// - Parameters:
    ///   - json: the reader of the data of events that are folded for an answer.
    ///   - matches: returns whether a record has the type, data, meta and tags that a proposal would be written with.
    ///   - feed: the feed that folds write the changes of rows to; nil where nothing else has it.
    ///   - declared: the declared models that are served and built; nil where there are none.
    ///   - erasures: the erasures that are under way; nil where none can be.
    ///   - notLeader: the failure of each write at a replica; nil where this store takes writes.
    /// - Throws: the error of reading the models.
    package init(
        _ plan: CataloguePlan, store: any TableStore, json: any JSONReading, log: any EventLogReading,
        matches: @escaping (EventProposal, EventRecord) -> Bool, identity: LogIdentity, limits: Limits, server: String,
        durability: Durability = .fsync, feed: ChangeFeed? = nil, declared: (any DeclaredModelStates)? = nil,
        erasures: (any ErasureStates)? = nil, notLeader: Failure? = nil
    ) throws(StorageError) {
        self.feed = feed ?? ChangeFeed(limits)
        catalogue = plan.catalogue
        world = World(plan, store: store, json: json, log: log, states: declared, erasures: erasures)
        shares = Shares()
        eventWrites = EventWrites(
            world, Idempotency(world: world, matches: matches), identity: identity, shares: shares,
            notLeader: notLeader)
        self.limits = limits
        self.identity = identity
        self.server = server
        self.durability = durability
        (self.notLeader, refusal) = (notLeader, notLeader)
        try world.readEnd()
    }

    /// The last event that was folded, durable or not.
    package var head: Position { world.head }
    /// The last event that changed the definition of a model.
    package var lastDefinition: Position { world.changes.position }
    /// True while rows of declared models may have content that an event of the log erases.
    package var hasErasedRows: Bool { world.changes.erasure > .zero }
    /// Notes that nobody reads such rows any more, as far as events through a position say.
    package func erasuresTaken(through position: Position) { world.changes.erasuresTaken(through: position) }
    /// The declared models that are served and built; nil where there are none.
    package var declared: (any DeclaredModelStates)? { world.states }
    /// The plan of the present catalogue.
    package var plan: CataloguePlan { world.plan }

    private var queries: QueryRequests {
        QueryRequests(world: world, feed: feed, limits: limits, identity: identity)
    }
    private var subscriptions: SubscriptionRequests {
        SubscriptionRequests(world: world, identity: identity, limit: limits.subscriptions)
    }
    /// A reader of durable rows, for subscriptions to rows and lists.
    package var watcher: RowWatcher { RowWatcher(world, feed) }

    /// Takes the work of looks at the preconditions of writes since the last call.
    package func takeLooked() -> Work {
        defer { world.looked = .zero }
        return world.looked
    }

    // MARK: Inputs

    /// Resets the engine after everything since the last commit was rolled back in the log. The models, which tell the
    /// number of the next stream, are to be folded again: no write may come before `modelsFolded`.
    package func logRolledBack() {
        world.logRolledBack()
        undefined = []
        world.changes.rolledBack(to: head)
        feed.rolledBack(to: head)
        shares.rolledBack(to: head)
    }

    /// Notes that the models are folded up to the log's head again, after a rollback or a replacement.
    ///
    /// - Throws: the error of reading the models.
    package func modelsFolded() throws(StorageError) { try world.readEnd() }

    /// Notes that a declared model was undefined: its name is unknown to the next request.
    func undefine(_ name: String) { undefined += catalogue.kinds.filter { $0.name == name }.map(\.kind) }

    /// Notes that the event after the head, which was decided elsewhere, was folded into the models.
    package func folded(_ record: EventRecord) {
        world.folded(EventMetadata(record), record.tagList)
        if DefinitionTable.name(ofStream: record.streamName) != nil { world.changes.changed(at: record.position) }
        if ErasureEvent.isOrder(record) { world.changes.erases(at: record.position) }
    }

    /// Reads and answers by a catalogue that follows the present one from now on, between two turns. Requests of
    /// a kind that it lacks, and answers under way about one, are `unknown`; the caller ends the subscriptions.
    ///
    /// - Parameter declared: the kinds that are declared models.
    package func catalogueReplaced(by plan: CataloguePlan, declared: [Kind: DeclaredKind] = [:]) {
        precondition(
            plan.catalogue.follows(catalogue),
            "the catalogue of epoch \(plan.catalogue.epoch) does not follow that of epoch \(catalogue.epoch)")
        feed.retire(world.plan)
        world.changes.replaced(catalogue, by: plan.catalogue)
        catalogue = plan.catalogue
        undefined = []
        world.catalogueReplaced(by: plan, declared: declared)
    }

    /// Takes the kinds that were removed by events which are durable now.
    ///
    /// - Throws: the error of reading the models.
    package func settleChanges(durable: Position) throws(StorageError) -> [Kind: KindSchema] {
        guard !world.changes.removed.isEmpty else { return [:] }
        return try world.changes.settle(durable: durable) { [models, catalogue] (schema) throws(StorageError) in
            if catalogue.kinds.contains(where: { $0.name == schema.name }) { return false }
            return try models.isRebuilt(schema.name)
        }
    }

    /// Notes that a definition is built and folded up to the head: appends `ModelActivated`, from which on it answers.
    ///
    /// - Throws: the error of reading the models.
    package func activate(
        _ name: String, _ event: ModelActivated, by uid: UInt32, _ now: Instant, into output: any TurnOutput
    ) throws(StorageError) {
        flush()
        try models.activate(name, event, by: uid, now, into: output)
    }

    /// Returns the schema of a kind of the catalogue, or of one whose subscriptions are held.
    package func schema(ofFollowed kind: Kind) -> KindSchema? {
        catalogue.schema(of: kind) ?? world.changes.removed[kind]
    }

    /// Refuses each write with this failure from now on; nil accepts writes again.
    package func writesRefused(_ failure: Failure?) { refusal = notLeader ?? failure }

    /// Greets a client beside `count` other connections; returns false if it was refused instead.
    ///
    /// - Parameter part: the part that this store has among others; nil for a store of its own.
    package func connected(
        _ peer: Peer, beside count: Int, as part: ClusterState? = nil, into output: any TurnOutput
    ) -> Bool {
        GreetClient(limits: limits, identity: identity, server: server, durability: durability)
            .greet(peer, beside: count, as: part, into: output)
    }

    /// Answers a request, or begins to. A `GET` of a present row is answered by the next request that is none, or by
    /// `flush`: rows are looked up together.
    package func handle(
        _ request: borrowing Request, from session: inout Session, now: Instant, into output: any TurnOutput
    ) {
        let tag = request.tag
        guard !output.isEnding else {
            flush()
            return output.reply(.failed(Failure.draining), tag: tag, restsOn: .zero)
        }
        if request.verb != .read(.get) { flush() }
        session.writes(as: request.author)
        do throws(StorageError) {
            try answer(request.action, tag, from: &session, now, output)
        } catch {
            output.reply(.failed(.storage(error)), tag: tag, restsOn: .zero)
        }
    }

    /// Answers the rows that were asked for, in the order of the requests. To be called before anything else is said to
    /// their connections.
    package func flush() {
        guard let output = requestedOutput, let from = requestedLookup else { return }
        output.rowsBegin()
        BrowseTogether(world: world, store: from.store, head: head, output: output).answer(requestedRows)
        output.rowsEnd()
        requestedRows.clear()
        (requestedOutput, requestedLookup) = (nil, nil)
    }

    /// Adds a row to those that are answered together.
    private func lookUpLater(_ kind: Kind, _ key: RowKey, tag: Tag?, to output: any TurnOutput) {
        // The rows of a declared model are in a store of its own.
        let schema = world.schema(kind)
        let rows = world.rows(of: schema)
        if requestedOutput !== output || requestedLookup !== rows {
            flush()
            (requestedOutput, requestedLookup) = (output, rows)
        }
        requestedRows.add(schema.rows.number, kind, key, tag)
        output.rowIsWanted(kind)
        if requestedRows.isFull { flush() }
    }

    private func answer(
        _ action: RequestAction, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        // The line may have been read before its kind was removed.
        if let kind = action.kind {
            guard let schema = catalogue.schema(of: kind) else {
                return output.reply(.failed(.removedKind), tag: tag, restsOn: head)
            }
            if undefined.contains(kind) {
                flush()
                return output.reply(.failed(try models.refusal(ofUndefined: schema.name)), tag: tag, restsOn: head)
            }
        }
        switch action {
        case .read(let action): try read(action, tag, from: session, output)
        case .write(let action): try write(action, tag, from: &session, now, output)
        case .follow(let action): follow(action, tag, from: &session, now, output)
        case .operate(let action): try operate(action, tag, output)
        }
    }

    private func read(
        _ action: ReadAction, _ tag: Tag?, from session: borrowing Session, _ output: any TurnOutput
    ) throws(StorageError) {
        switch action {
        case .get(let kind, let key, nil): lookUpLater(kind, key, tag: tag, to: output)
        case .get(let kind, let key, let moment?):
            flush()
            let browse = Browse(kind: world.schema(kind), key: key, world: world, head: head, tag: tag, output: output)
            try browse.at(moment)
        case .list(let query): queries.list(query, tag: tag, to: output)
        case .count(let kind, let conditions): try queries.count(kind, conditions, tag: tag, to: output)
        case .sorts(let kind):
            for line in BrowseOrdered.sorts(world.schema(kind)) { output.reply(line, tag: tag, restsOn: .zero) }
        case .streams(let query):
            output.answer(with: BrowseStreams(query, in: world), tag: tag, restsOn: .zero)
        case .types(let query): output.answer(with: BrowseTypes(query, in: world), tag: tag, restsOn: .zero)
        case .read(let query): queries.read(query, tag: tag, to: output)
        case .countEvents(let query): queries.countEvents(query, tag: tag, to: output)
        case .find(let query): queries.find(query, tag: tag, to: output)
        case .findRows(let query): queries.find(query, tag: tag, to: output)
        case .misfits(let query): try models.misfits(query, tag: tag, to: output)
        case .erasures(let query): erasures.list(query, tag: tag, to: output)
        case .cursors(let name): workers.list(name, tag: tag, to: output)
        case .parked(let query): parking.parked(query, tag: tag, to: output)
        case .models(let name): try models.describe(name, tag: tag, after: session.lastWritten, to: output)
        case .ping: acknowledge([], session.lastWritten, tag: tag, to: output)
        }
    }

    private func follow(
        _ action: FollowAction, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) {
        switch action {
        case .subscribe(let query): subscriptions.begin(query, tag: tag, of: &session, to: output)
        case .unsubscribe(let id): subscriptions.end(id, tag: tag, of: &session, to: output)
        case .work(let request): workers.work(request, tag, of: &session, now, output)
        case .quit:
            session.endSubscriptions(.quit, into: output)
            acknowledge([Member("bye", .flag(true))], session.lastWritten, tag: tag, to: output)
            output.finish()
        }
    }

    /// Has the shell do work beside the engine, once its request is checked.
    private func operate(_ action: OperateAction, _ tag: Tag?, _ output: any TurnOutput) throws(StorageError) {
        switch action {
        case .verify(let moment), .seal(let moment): queries.prove(action, moment, tag: tag, to: output)
        case .check(let request): try models.check(request, tag, output)
        case .rehearse(let request): erasures.rehearse(request, tag: tag, to: output)
        case .help, .stats, .metrics, .clients, .checkpoint, .backup, .cluster, .erasure, .search,
            .searchRows:
            output.start(action, at: nil, tag: tag)
        }
    }

    /// Replies with the end of the log: the last durable event, or a later one that this connection wrote.
    private func acknowledge(_ members: [Member], _ written: Position, tag: Tag?, to output: any TurnOutput) {
        let position = max(output.durable, written)
        let done = Done.members(members + [Member("position", .count(position.value))])
        output.reply(.done(done), tag: tag, restsOn: position)
    }
}
