import StoryCore
import StoryFold

/// The writes of events: their outcomes, and the events that they append.
final class EventWrites {
    private let world: World
    private let idempotency: Idempotency
    private let identity: LogIdentity
    private let shares: Shares
    /// The failure of each write at a replica; nil where this store takes writes.
    private let notLeader: Failure?

    init(_ world: World, _ idempotency: Idempotency, identity: LogIdentity, shares: Shares, notLeader: Failure?) {
        (self.world, self.idempotency, self.identity) = (world, idempotency, identity)
        (self.shares, self.notLeader) = (shares, notLeader)
    }

    private var cursors: HeldCursors { HeldCursors(world: world, shares: shares) }

    /// Handles a write of content, or of the users' own events.
    ///
    /// - Parameter refusal: the reason why writes are refused now; nil while they are accepted.
    /// - Throws: the error of the read.
    func write(
        _ action: WriteAction, _ tag: Tag?, unless refusal: Failure?, from session: inout Session, _ now: Instant,
        _ output: any TurnOutput
    ) throws(StorageError) {
        let look = output.look as? PreconditionLook
        let outcome = try outcome(of: action, by: session, look)
        try answer(outcome, action, tag, unless: refusal, from: &session, now, output)
    }

    private func answer(
        _ outcome: consuming WriteOutcome, _ action: WriteAction, _ tag: Tag?, unless refusal: Failure?,
        from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        switch consume outcome {
        case .refused(let failure):
            if failure.code == .lost { shares.writesLost += 1 }
            let basis = try world.basis(of: failure, action, head: world.head, durable: output.durable)
            output.reply(.failed(failure), tag: tag, restsOn: basis)
        case .repeated(let receipt):
            answer(receipt, &session, tag, output)
        case .undecided(let look):
            look.begin(through: output.durable)
            output.handleAgain(after: look, tag: tag)
        case .unchanged(let id, let stream, let head):
            if let refusal, action.cursor != nil {
                return output.reply(.failed(refusal), tag: tag, restsOn: .zero)
            }
            var moved: CursorPlace?
            if let move = move(action.cursor, of: session) { moved = try self.move(move, for: &session, now, output) }
            let done = Done.unchanged(
                id: id, stream: stream, version: head.version, position: head.position, cursor: moved)
            // Not the stream's own head: the user who likes may exist by an event of another stream that is not durable
            // yet.
            output.reply(.done(done), tag: tag, restsOn: world.head)
        case .appends(let new):
            if let refusal { return output.reply(.failed(refusal), tag: tag, restsOn: .zero) }
            let move = move(action.cursor, of: session)
            var receipt = Appending(to: world, by: session.author, now, output, moving: move?.text).append(new)
            receipt.cursor = move.map { moved($0, by: receipt.position) }
            session.wrote(receipt.position)
            output.receipt(receipt, tag: tag)
        case .appendsTogether(let new):
            if let refusal { return output.reply(.failed(refusal), tag: tag, restsOn: .zero) }
            let move = move(action.cursor, of: session)
            let appending = Appending(to: world, by: session.author, now, output, moving: move?.text)
            var receipt = appending.appendTogether(new)
            receipt.cursor = move.map { moved($0, by: receipt.position) }
            answer(receipt, &session, tag, output)
        }
    }

    /// The move of a share that a write makes.
    private struct Move {
        let mark: CursorMark
        let holding: Holding
        let share: CursorShare

        /// The move as events have it.
        var text: ByteView { CursorMove.text(share, to: mark.event) }
    }

    /// Returns the move that a write makes whose preconditions hold; nil where it names no cursor.
    private func move(_ mark: CursorMark?, of session: borrowing Session) -> Move? {
        guard let mark, let holding = session.holding(that: mark), let share = holding.share else { return nil }
        return Move(mark: mark, holding: holding, share: share)
    }

    /// Notes that a write has moved a share; returns its position.
    private func moved(_ move: Move, by position: Position) -> CursorPlace {
        cursors.moved(move.mark, move.holding, by: position)
        return CursorPlace(share: move.share.number, at: max(move.holding.at, move.mark.event))
    }

    /// Moves a share by an event of its own, for a write that changes nothing else.
    private func move(
        _ move: Move, for session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) -> CursorPlace {
        let event = CursorEvent.moved(share: move.share.number, move.mark.event)
        let position = try cursors.appended(event, to: move.share.cursor, by: session.author, now, output)
        session.wrote(position)
        return moved(move, by: position)
    }

    /// Returns the outcome of a write: the first receipt of its request key, or a new attempt.
    ///
    /// - Parameter look: the look at its preconditions that an earlier handling began; nil where there is none.
    private func outcome(
        of action: WriteAction, by session: borrowing Session, _ look: PreconditionLook?
    ) throws(StorageError) -> WriteOutcome {
        if let notLeader { return try once(action, action.key) { () throws(StorageError) in .refused(notLeader) } }
        switch action {
        case .append(let stream, let proposals, let options):
            return try once(action, options.key) { () throws(StorageError) in
                let preconditions = preconditions(options, of: session, look)
                return try AppendEvents.attempt(stream, proposals, key: options.key, under: preconditions, in: world)
            }
        case .appendTogether(let proposals, let options):
            return try once(action, options.key) { () throws(StorageError) in
                let cursor = cursorFailure(options, of: session)
                let preconditions = Preconditions(
                    options, in: world, identity, look, areStreamsNamed: true, cursor: cursor)
                return try AppendTogether.attempt(proposals, key: options.key, under: preconditions, in: world)
            }
        case .content(let write):
            return try once(action, write.options.key) { () throws(StorageError) in
                try WriteContent.attempt(
                    write, under: preconditions(write.options, of: session, look), after: world.head, in: world)
            }
        case .define, .undefine, .erase, .cursor, .ack, .fail, .retry, .discard, .reset, .drop:
            return .refused(Failure(.internal, "\(action.verb) is no write of events"))
        }
    }

    /// Returns the preconditions that a write names; nil where it names none.
    private func preconditions(
        _ options: WriteOptions, of session: borrowing Session, _ look: PreconditionLook?
    ) -> Preconditions? {
        guard options.areConditional else { return nil }
        let cursor = cursorFailure(options, of: session)
        return Preconditions(options, in: world, identity, look, cursor: cursor)
    }

    private func cursorFailure(_ options: WriteOptions, of session: borrowing Session) -> Failure? {
        options.cursor.flatMap { cursors.failure(of: $0, by: session) }
    }

    /// Returns the outcome of a write whose key was seen before, or of the attempt. The key's entry is prefetched, so
    /// that it arrives while the attempt is made. A failure of the attempt counts only if the key is new.
    private func once(
        _ action: WriteAction, _ key: RequestKey?, _ attempt: () throws(StorageError) -> WriteOutcome
    ) throws(StorageError) -> WriteOutcome {
        guard let key else { return try attempt() }
        world.keys.prefetch(key)
        let attempted = Result(catching: attempt)
        if let known = try idempotency.outcome(of: action, key) { return known }
        return try attempted.get()
    }

    /// Writes the reply to a write; it rests on the last event that the write made.
    private func answer(_ receipt: WriteReceipt, _ session: inout Session, _ tag: Tag?, _ output: any TurnOutput) {
        session.wrote(receipt.position)
        for line in receipt.replies { output.reply(line, tag: tag, restsOn: receipt.position) }
    }
}
