import StoryCore
import StoryEngine
import StoryLog
import StoryModels
import StoryReactor
import StoryStorage
import StoryWire

/// The end of a turn: commit, then let out what was said.
extension Server {
    /// Commits what the turn appended; when that fails, undoes the turn and answers it anew.
    func settle() {
        // After such an error the next commit would lie.
        guard fatal == nil else { return touched.forEach { $0.output.removeAll() } }
        // What a reading of the models that failed has answered must not leave, nor be committed.
        if let failure = dependency.store.failure { turnFailure = failure }
        if turnFailure == nil, log.head > log.committed { commit() }
        if let failure = turnFailure {
            turnFailure = nil
            fail(failure)
        }
        journal.removeAll(keepingCapacity: true)
    }

    private func commit() {
        let count = log.head.value - log.committed.value
        let began = dependency.clock.steady()
        do throws(StorageError) {
            try log.commit()
            figures.committed(events: count, nanoseconds: dependency.clock.steady() - began)
        } catch {
            turnFailure = error
        }
    }

    /// A full disk is waited out; after any other failure nobody knows what the disk holds, and the process ends
    /// without a word about this turn.
    private func fail(_ error: StorageError) {
        guard case .full(let reason) = error else {
            dependency.trace.say("storage-failed", ["error": "\(error)", "then": "stopping: the disk is suspect"])
            fatal = error
            for connection in touched { connection.output.removeAll() }
            return
        }
        dependency.trace.say("full", ["reason": reason])
        do throws(StorageError) {
            try undo()
            answerAnew(Failure(.full, "\(reason); nothing was written"))
        } catch {
            dependency.trace.say("storage-failed", ["error": "\(error)"])
            fatal = error
        }
    }

    /// Takes back what was folded since the last commit: forgets the models back to their checkpoint, folds again.
    private func undo() throws(StorageError) {
        log.rollBack()
        checkpointer.wait()
        dependency.store.discard()
        // All of it was in memory a moment ago; writing it down could meet the same full disk.
        try Recovery.fold(
            dependency.log, into: dependency.store, with: dependency.decoder, isWritingDown: false
        ) { _, _ in }
        update(.rolledBack)
    }

    /// Handles the turn's requests once more, with writes refused. What cannot be taken back, and the refusal of a line
    /// unread, rest on nothing that was undone, so what was said about them stands.
    private func answerAnew(_ refusal: Failure) {
        update(.writesRefused(refusal))
        retryTick = ticks + 10
        let entries = journal
        var kept: [ObjectIdentifier: [UInt8]] = [:]
        for entry in entries where kept[ObjectIdentifier(entry.connection)] == nil {
            kept[ObjectIdentifier(entry.connection)] = entry.connection.output
            entry.connection.output.removeSubrange(entry.start...)
            entry.connection.reading = nil
        }
        for (index, entry) in entries.enumerated() {
            if let request = entry.request, !request.action.isFinal {
                update(.requested(entry.connection.session, request))
                continue
            }
            if entry.appends > 0 {
                for _ in 0..<entry.appends { answer(.failed(refusal), nil, entry.connection) }
                continue
            }
            guard let old = kept[ObjectIdentifier(entry.connection)] else { continue }
            let next = entries[(index + 1)...].first { $0.connection === entry.connection }
            entry.connection.output += old[entry.start..<(next?.start ?? old.count)]
        }
    }

    /// Sends the subscribers what was committed, and goes on with readings that have room again.
    func publish() {
        let head = log.committed
        turnStreams.turnEnded(at: head)
        for connection in connections.values where !connection.subscriptions.isEmpty && !connection.isFinishing {
            guard connection.reading == nil, !connection.isAwaiting else { continue }
            // What a slow reader did not take yet is all that is kept for it.
            guard reactor.unsentCount(connection.id) == 0 else { continue }
            publish(connection, head)
        }
    }

    /// True for one that was up to date before this turn, to whose stream the turn appended nothing.
    private func isUntouched(_ subscription: Subscription, _ head: Position) -> Bool {
        guard subscription.phase == .live, subscription.next == turnStreams.first, subscription.next <= head,
            case .stream(let name) = subscription.selection.source
        else { return false }
        return !turnStreams.mayHold(name, log)
    }

    private func publish(_ connection: Connection, _ head: Position) {
        let before = connection.output.count
        let size = connection.output.count + roomAhead(connection)
        var failed: [(id: SubscriptionID, reason: EndReason)] = []
        for index in connection.subscriptions.indices {
            if isUntouched(connection.subscriptions[index], head) {
                connection.subscriptions[index].sent(through: head)
                continue
            }
            do throws(StorageError) {
                let isMore = try publisher.publish(
                    &connection.subscriptions[index], head: head, &connection.output, until: size)
                if isMore, connection.output.count < size { markReady(connection) }
            } catch {
                failed.append((connection.subscriptions[index].id, EndReason(failure(error))))
            }
        }
        for (id, reason) in failed { update(.followingFailed(connection.session, id, reason: reason)) }
        if connection.output.count != before { touch(connection) }
    }

    /// Lets out what was said in this turn; the turn is committed by now.
    func release() {
        // By index, and cleared at the end: the list keeps its memory.
        var index = 0
        while index < touched.count {
            release(touched[index])
            index += 1
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// How much storage a connection keeps for what it says next, in bytes: a turn's receipts, not a page of rows.
    private static let keptOutput = 16_384

    private func release(_ connection: Connection) {
        if !connection.output.isEmpty {
            // What the kernel did not take the reactor keeps; then the connection begins with storage of its own.
            let isSent = reactor.send(connection.id, connection.output)
            if isSent, connection.output.capacity <= Server.keptOutput {
                connection.output.removeAll(keepingCapacity: true)
            } else {
                connection.output = []
            }
        }
        if connection.isFinishing {
            guard sessions.removeValue(forKey: connection.session) != nil else { return }
            connection.isGone = true
            update(.disconnected(connection.session))
            return reactor.finish(connection.id)
        }
        // Everything left at once, so no drained output will bring the connection up again.
        if reactor.unsentCount(connection.id) == 0, hasWork(connection) { markReady(connection) }
    }

    private func hasWork(_ connection: Connection) -> Bool {
        if connection.isAwaiting { return false }
        if connection.reading != nil || connection.machine.hasBufferedLine { return true }
        let head = log.committed
        return connection.subscriptions.contains { $0.lag(head: head) > 0 }
    }
}

extension RequestAction {
    /// True for what cannot be handled a second time: a subscription that is on, work that is under way.
    var isFinal: Bool {
        switch self {
        case .subscribe, .unsubscribe, .checkpoint, .verify, .backup: true
        case .get, .list, .count, .sorts, .read, .streams, .post, .edit, .like, .unlike, .see, .delete, .append,
            .appendTogether, .ping, .help, .stats, .quit:
            false
        }
    }
}
