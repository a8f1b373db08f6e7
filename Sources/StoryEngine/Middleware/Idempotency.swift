import StoryCore
import StoryFold

/// Idempotency by request key: returns the first receipt of a write whose key was seen before.
///
/// Only the key is stored, in the event itself. A request is "the same" if it would write exactly the events that the
/// key wrote the first time. So idempotency holds after a replay, an export and an import, too. Conditions are
/// no part of the comparison: a client that reads again and decides the same gets the first receipt.
struct Idempotency {
    let world: World
    /// Returns whether a record has the type, data, meta and tags that a proposal would be written with.
    let matches: (EventProposal, EventRecord) -> Bool

    /// Returns the first receipt of a key, or a refusal if it belongs to another request; nil for a new key.
    ///
    /// - Throws: the error of the read.
    func outcome(of action: WriteAction, _ key: RequestKey) throws(StorageError) -> WriteOutcome? {
        guard let entry = try world.keys.provenEntry(of: key) else { return nil }
        if let receipt = try repeated(action, entry.positions) { return .repeated(receipt) }
        return .refused(Idempotency.reused(key, entry.last))
    }

    /// Returns the refusal of a key that belongs to another request.
    ///
    /// - Parameter last: the position of the last event of that request.
    static func reused(_ key: RequestKey, _ last: Position) -> Failure {
        let message = "the key \(key) belongs to another request, at position \(last.value)"
        return Failure(.keyReused, message, .position(last))
    }

    /// Returns the receipt of the events at these positions; nil if the request would write others.
    private func repeated(
        _ action: WriteAction, _ positions: [Position]
    ) throws(StorageError) -> WriteReceipt? {
        switch action {
        case .append(let stream, let proposals, _):
            return try receipts(of: proposals.lazy.map { (stream, $0) }, at: positions)
                .map { WriteReceipt($0, isTogether: false) }
        case .appendTogether(let proposals, _):
            let events = proposals.compactMap { proposal in proposal.event.map { (proposal.stream, $0) } }
            return try receipts(of: events, at: positions)
                .map { WriteReceipt($0, isTogether: true) }
        case .content(let write):
            return try repeatedContent(write, positions)
        case .define, .undefine, .erase, .cursor, .ack, .fail, .retry, .discard, .reset, .drop: return nil
        }
    }

    /// Returns the receipts of the events at these positions; nil if other events are proposed, or for other streams.
    private func receipts(
        of proposals: some Collection<(stream: StreamName, event: EventProposal)>, at positions: [Position]
    ) throws(StorageError) -> [Receipt]? {
        guard proposals.count == positions.count else { return nil }
        var receipts: [Receipt] = []
        for (position, proposal) in zip(positions, proposals) {
            guard let receipt = try receipt(at: position, of: proposal.event), receipt.stream == proposal.stream
            else { return nil }
            receipts.append(receipt)
        }
        return receipts
    }

    private func repeatedContent(
        _ write: ContentWrite, _ positions: [Position]
    ) throws(StorageError) -> WriteReceipt? {
        guard positions.count == 1, let position = positions.first,
            case .success(let command) = write.command(of: world.schema(write.kind), in: TrustingDirectory())
        else { return nil }
        let proposal = EventProposal(body: command.event, meta: write.options.meta)
        guard let event = try receipt(at: position, of: proposal),
            let id = write.id ?? command.givenID ?? event.givenID,
            event.stream == world.schema(write.kind).stream(id)
        else { return nil }
        let receipt = Receipt(
            id: id, stream: event.stream, version: event.version, position: position, time: event.time, repeated: true,
            erased: event.erased)
        return WriteReceipt([receipt], isTogether: false)
    }

    /// Returns the receipt of the event at a position, without an ID; nil if a proposal would be written otherwise.
    private func receipt(
        at position: Position, of proposal: EventProposal
    ) throws(StorageError) -> Receipt? {
        var isThere = false
        var receipt: Receipt?
        try world.log.records(at: [position]) { record in
            isThere = true
            if matches(proposal, record) { receipt = Receipt(repeating: record) }
            return false
        }
        guard isThere else { throw .corrupt("there is no event", at: position) }
        return receipt
    }
}

extension Receipt {
    /// Creates the receipt of an event that was written before.
    init(repeating record: EventRecord, id: Identifier? = nil, isRepeated: Bool = true) {
        self.init(
            id: id, stream: record.keptStream, version: record.version, position: record.position, time: record.time,
            repeated: isRepeated, erased: record.erased)
    }

    /// The ID of the stream if the store may have generated it; nil if a client must have chosen it.
    fileprivate var givenID: Identifier? {
        let id = stream.id
        return Identifier.given(at: position) { $0.spelling.count < id.spelling.count } == id ? id : nil
    }
}
