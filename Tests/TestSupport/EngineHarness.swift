package import StoryCore
package import StoryEngine
package import StoryFold
import StoryWire

/// An engine over a plain store and a plain log, with a clock that the test sets.
package final class EngineHarness {
    package let store = PlainStore()
    package let log = PlainLog()
    package private(set) var engine: Engine
    private var fold: EventFold
    /// The connection that asks where no other one is named.
    package var session = Session(peer: Peer(uid: 1_000, role: .admin))
    /// What the next request is told the time is.
    package var now = Instant(milliseconds: 1_800_000_000_000)
    /// True once the program ends.
    package var isEnding = false
    /// What is durable; nil: everything.
    package var durable: Position?
    /// The budget of each step of an answer, in records.
    package var stepRecords = 1 << 40
    /// The lines of looks at preconditions, which have done their steps.
    package let lookLines = LookLines()
    private let limits: Limits
    private let identity: LogIdentity
    private var plan: CataloguePlan

    /// Starts with the events of a log, folded in.
    package init(
        _ events: [Event] = [], limits: Limits = Limits(),
        identity: LogIdentity = LogIdentity(id: LogID(trusted: "this".bytes)), catalogue: Catalogue = .standard
    ) {
        plan = CataloguePlan(catalogue)
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
        for event in events {
            log.append(event)
            event.withRecord { record in EngineHarness.carried { () throws(StorageError) in try projector.fold(record) }
            }
        }
        self.limits = limits
        self.identity = identity
        engine = EngineHarness.engine(plan, store, log, identity, limits)
        fold = EventFold(plan, store, of: engine)
    }

    /// Replaces the engine's catalogue, as the loop does between two turns.
    package func replaceCatalogue(by catalogue: Catalogue) {
        plan = CataloguePlan(catalogue)
        engine.catalogueReplaced(by: plan)
    }

    /// Makes the engine anew over what is stored, as a restart does.
    package func restart() {
        engine = EngineHarness.engine(plan, store, log, identity, limits)
        fold = EventFold(plan, store, of: engine)
        session = Session(peer: session.peer)
    }

    private static func engine(
        _ plan: CataloguePlan, _ store: PlainStore, _ log: PlainLog, _ identity: LogIdentity, _ limits: Limits
    ) -> Engine {
        carried { () throws(StorageError) in
            try Engine(
                plan, store: store, json: JSONObjectReader(), log: log, matches: EventEncoder.matches,
                identity: identity,
                limits: limits, server: "test")
        }
    }

    /// What is carried out in memory does not fail.
    private static func carried<Value>(_ body: () throws(StorageError) -> Value) -> Value {
        do throws(StorageError) { return try body() } catch { preconditionFailure("\(error)") }
    }

    /// An output for one request.
    package func output() -> RecordedOutput {
        let output = RecordedOutput(log, durable: durable ?? log.head, isEnding: isEnding) { [self] record, prior in
            EngineHarness.carried { () throws(StorageError) in
                let isFound = try prior.isFound(in: store, by: record)
                precondition(isFound, "the state before position \(record.position.value) is another")
                try fold.fold(record, after: prior)
            }
        }
        output.stepRecords = stepRecords
        return output
    }

    /// Begins an answer and does no step of it; nil where it was answered at once.
    package func begin(_ action: RequestAction) -> HeldAnswer? {
        let output = output()
        output.holdsAnswers = true
        engine.handle(Request(tag: nil, role: .read, action: action), from: &session, now: now, into: output)
        engine.flush()
        return output.held
    }

    @discardableResult
    package func ask(_ action: RequestAction, tag: Tag? = nil) -> Answer { ask(action, as: &session, tag: tag) }

    @discardableResult
    package func ask(_ action: RequestAction, as session: inout Session, tag: Tag? = nil) -> Answer {
        var look: (any RequestLook)?
        while true {
            let output = output()
            output.look = look
            engine.handle(Request(tag: tag, role: .read, action: action), from: &session, now: now, into: output)
            engine.flush()
            guard output.effects == [.again(tag)], let begun = output.look else {
                return Answer(effects: output.effects)
            }
            look = begun
            lookLines.run(begun, stepRecords * .record)
        }
    }

    /// Every row of a kind, by folding the log: the oracle of every list.
    package func rows(_ kind: Kind) -> [Row] { PlainRows(log.events).rows(kind) }
}

extension EventFold {
    /// A fold into a store, whose row changes an engine is told.
    package convenience init(_ plan: CataloguePlan, _ store: any TableStore, of engine: Engine) {
        let projector = ModelProjector(plan, store: store, json: JSONObjectReader(), feed: engine.feed)
        self.init(projector, catalogue: plan.catalogue)
    }
}

extension PriorState {
    /// Returns whether a look-up finds the same as the decision: the fold takes the state without one.
    fileprivate func isFound(in store: PlainStore, by record: EventRecord) throws(StorageError) -> Bool {
        guard head == (try StreamIndex(store).head(of: record.streamName)) else { return false }
        guard let key = record.keyBytes else { return true }
        return entry == (try KeyIndex(store).entry(of: key))
    }
}

/// What one request led to.
package struct Answer: Equatable {
    package let effects: [Effect]

    package init(effects: [Effect]) { self.effects = effects }

    package var replies: [Reply] { effects.compactMap { if case .reply(_, let reply, _) = $0 { reply } else { nil } } }
    package var events: [Event] { effects.compactMap { if case .append(let event) = $0 { event } else { nil } } }
    package var rows: [Row] { effects.compactMap { if case .row(_, let row, _) = $0 { Row(row) } else { nil } } }
    package var streams: [StreamSummary] {
        replies.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
    }

    /// What the closing line rests on.
    package var basis: Position? {
        effects.compactMap { if case .reply(_, _, let basis) = $0 { basis } else { nil } }.last
    }

    package var failure: Failure? { if case .failed(let failure)? = replies.last { failure } else { nil } }
    package var done: Done? { if case .done(let done)? = replies.last { done } else { nil } }
    package var code: ErrorCode? { failure?.code }
    /// The receipts of an `APPEND *`, one for each stream.
    package var receipts: [Receipt] {
        replies.compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } }
    }
    package var receipt: Receipt? { if case .receipt(let receipt)? = done { receipt } else { nil } }
    package var row: Row? {
        if case .row(let record)? = done { Row(record) } else { nil }
    }
    package var count: Int? { if case .counted(let count, _)? = done { count } else { nil } }
    package var next: [UInt8]? { if case .page(_, let next, _)? = done { next } else { nil } }
    package var isUnchanged: Bool { if case .unchanged? = done { true } else { false } }
    package var plan: ReadPlan? {
        effects.compactMap { if case .read(_, let plan) = $0 { plan } else { nil } }.first
    }

    /// The wrong fields of an `invalid` with their rules.
    package var wrongFields: [String: FieldRule] {
        guard case .fields(let fields)? = failure?.detail else { return [:] }
        return Dictionary(fields.map { ($0.field, $0.rule) }) { first, _ in first }
    }
}
