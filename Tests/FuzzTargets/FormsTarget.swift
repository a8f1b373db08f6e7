import StoryCore
import StoryFold
import StoryWire
import TestSupport

/// Writes of every kind with any JSON: what is accepted and decided is an event that is written, read back and folded as
/// what it is.
///
/// `which request 1 · what there is 1 · the JSON`, or a whole line.
final class FormsTarget: FuzzTarget {
    private static let limit = 65_536
    private static let requests: [String] =
        Catalogue.standard.kinds.flatMap { kind in
            ["POST \(kind.name) "]
                + ["EDIT", "LIKE", "UNLIKE", "SEE", "DELETE"].map { "\($0) \(kind.name)/x1 " }
        } + ["APPEND note-1 ", "APPEND * ", ""]

    private let reader = RequestReader(lineLimit: FormsTarget.limit, .standard)
    private let plan = CataloguePlan(.standard)
    private let json = JSONObjectReader()
    private let decoder = PlainDecoder()
    private let check = EventCheck()
    private let rows = FixedRows()

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let request = input.pick(FormsTarget.requests)
        let world = input.byte()
        let line = Array(request.utf8) + input.rest.prefix { $0 != 0x0A }
        guard line.count <= FormsTarget.limit else { return }
        let copy = ExactCopy(line, slack: LineFramer.slack)
        guard let read = try? reader.read(copy.whole) else { return }
        switch read.action {
        case .write(.append(let stream, let events, let options)):
            for event in events { append(event, stream, options) }
        case .write(.appendTogether(let events, let options)):
            for event in events { if let new = event.event { append(new, event.stream, options) } }
        case .write(.content(let write)): decide(write, isThere: world & 1 == 0, isIn: world & 2 == 0)
        default: break
        }
    }

    private func append(_ proposal: EventProposal, _ stream: StreamName, _ options: WriteOptions) {
        check.run(
            Event(
                position: Position(7), stream: stream, streamNumber: StreamNumber(3), version: Version(4),
                time: Instant(milliseconds: 5), by: 6, key: options.key, tags: proposal.tags,
                meta: proposal.meta ?? options.meta, body: proposal.body)
        ) { record in
            hold(EventEncoder.matches(proposal, record), "a record says what was proposed")
        }
    }

    /// - Parameters:
    ///   - isThere: whether the content exists.
    ///   - isIn: whether its sets have everything.
    private func decide(_ write: ContentWrite, isThere: Bool, isIn: Bool) {
        let schema = plan.catalogue[write.kind]
        guard case .success(let command) = write.command(of: schema, in: TrustingDirectory()) else { return }
        hold(command.event.isWanted(by: write.action), "what is commanded is what was wanted")
        let id = write.id ?? command.givenID ?? "x1".id
        let number = write.id == nil || !isThere ? nil : StreamNumber(1)
        rows.isIn = isIn
        let subject = ContentSubject(kind: schema, id: id, number: number)
        guard let decision = try? command.decision(on: subject, in: rows) else {
            return hold(false, "a decision in memory does not fail")
        }
        guard decision == .append else { return }
        let body = command.event
        let event = Event(
            position: Position(9), stream: schema.stream(id), streamNumber: StreamNumber(1),
            version: Version(number == nil ? 1 : 2), time: Instant(milliseconds: 5), by: 6, key: write.options.key,
            meta: write.options.meta, body: body)
        check.run(event) { record in
            let decoded = decoder.decode(record)
            hold(decoded.body == body, "an event is read as what it is: \(event.text)")
            fold(record, after: number == nil ? nil : rows.events[schema.name], write.kind)
        }
    }

    /// An accepted write makes a row, changes it or removes it.
    private func fold(_ record: EventRecord, after first: Event?, _ kind: Kind) {
        let history = RowHistory(plan, kind: kind, json: json)
        var work = Work.unlimited
        first?.withRecord { _ = history.fold($0, &work) }
        _ = history.fold(record, &work)
        let isRemoval = record.isOfType(["StoryDeleted".type, "MessageDeleted".type, "PhotoDeleted".type])
        hold((history.row == nil) == isRemoval, "a row is there until it is deleted")
        if let row = history.row { hold(row.withView { $0.version == record.version }, "an accepted write is folded") }
    }
}

extension EventBody {
    /// Returns true when a write asks for an event of this kind and case.
    fileprivate func isWanted(by action: ContentAction) -> Bool {
        switch (self, action) {
        case (.user(.signedUp), .post), (.user(.revised), .edit): true
        case (.story(.posted), .post), (.story(.revised), .edit), (.story(.deleted), .delete): true
        case (.story(.liked), .like), (.story(.unliked), .unlike): true
        case (.message(.sent), .post), (.message(.seen), .see), (.message(.deleted), .delete): true
        case (.photo(.added), .post), (.photo(.exposureRevised), .edit), (.photo(.deleted), .delete): true
        default: false
        }
    }
}

/// One row of each kind, and sets that have everything or nothing.
private final class FixedRows: ContentRows {
    let events: [String: Event]
    private let rows: [String: RowCopy]
    var isIn = false

    init() {
        var maker = EventMaker()
        let events = [
            "users": maker.event("user-x1", .signedUp()), "stories": maker.event("story-x1", .posted()),
            "messages": maker.event("message-x1", .sent()), "photos": maker.event("photo-x1", .added()),
        ]
        self.events = events
        rows = events.compactMapValues { RowCopy.folded([$0]) }
    }

    func row(_ schema: KindSchema, _ id: Identifier, _ body: (RowView) -> Void) -> Bool {
        guard id == "x1".id, let row = rows[schema.name] else { return false }
        row.withView(body)
        return true
    }

    func row(_ schema: KindSchema, folded text: [UInt8], _ body: (RowView) -> Void) -> Bool { false }
    func contains(_ table: ModelTable, number: StreamNumber, _ name: Identifier) -> Bool { isIn }
}
