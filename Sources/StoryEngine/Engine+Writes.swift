package import StoryCore
import StoryFold

/// Requests that write: their outcomes, and the events that they append.
extension Engine {
    func write(
        _ action: WriteAction, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        switch action {
        case .define(let request): try models.define(request, tag, from: &session, now, output)
        case .undefine(let name):
            if try models.undefine(name, tag, from: &session, now, output) { undefine(name) }
        case .erase(let request): try erasures.erase(request, tag, from: &session, now, output)
        case .content, .append, .appendTogether:
            try answer(
                try outcome(of: action, output.look as? PreconditionLook), action, tag, from: &session, now, output)
        }
    }

    private func answer(
        _ outcome: consuming WriteOutcome, _ action: WriteAction, _ tag: Tag?, from session: inout Session,
        _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        switch consume outcome {
        case .refused(let failure):
            let basis = try world.basis(of: failure, action, head: head, durable: output.durable)
            output.reply(.failed(failure), tag: tag, restsOn: basis)
        case .repeated(let receipt):
            answer(receipt, &session, tag, output)
        case .undecided(let look):
            look.begin(through: output.durable)
            output.handleAgain(after: look, tag: tag)
        case .unchanged(let id, let stream, let head):
            let done = Done.unchanged(id: id, stream: stream, version: head.version, position: head.position)
            // Not the stream's own head: the user who likes may exist by an event of another stream that is not durable
            // yet.
            output.reply(.done(done), tag: tag, restsOn: self.head)
        case .appends(let new):
            if let refusal { return output.reply(.failed(refusal), tag: tag, restsOn: .zero) }
            let receipt = Appending(to: world, by: session.author, now, output).append(new)
            session.wrote(receipt.position)
            output.receipt(receipt, tag: tag)
        case .appendsTogether(let new):
            if let refusal { return output.reply(.failed(refusal), tag: tag, restsOn: .zero) }
            let appending = Appending(to: world, by: session.author, now, output)
            answer(appending.appendTogether(new), &session, tag, output)
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

    /// Returns the outcome of a write: the first receipt of its request key, or a new attempt.
    ///
    /// - Parameter look: the look at its preconditions that an earlier handling began; nil where there is none.
    private func outcome(of action: WriteAction, _ look: PreconditionLook?) throws(StorageError) -> WriteOutcome {
        if let notLeader { return try once(action, action.key) { () throws(StorageError) in .refused(notLeader) } }
        switch action {
        case .append(let stream, let proposals, let options):
            return try once(action, options.key) { () throws(StorageError) in
                try AppendEvents.attempt(stream, proposals, under: preconditions(options, look), in: world)
            }
        case .appendTogether(let proposals, let options):
            return try once(action, options.key) { () throws(StorageError) in
                let preconditions = preconditions(options, look, areStreamsNamed: true)
                return try AppendTogether.attempt(proposals, under: preconditions, in: world)
            }
        case .content(let write):
            return try once(action, write.options.key) { () throws(StorageError) in
                try WriteContent.attempt(write, under: preconditions(write.options, look), after: head, in: world)
            }
        case .define, .undefine, .erase:
            return .refused(Failure(.internal, "\(action.verb) is no write of events"))
        }
    }

    private func preconditions(
        _ options: WriteOptions, _ look: PreconditionLook?, areStreamsNamed: Bool = false
    ) -> Preconditions {
        Preconditions(options, in: world, identity, look, areStreamsNamed: areStreamsNamed)
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
