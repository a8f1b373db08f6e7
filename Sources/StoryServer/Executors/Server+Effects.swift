import StoryCore
import StoryEngine
import StoryReactor
import StoryWire

/// The executors: each effect is carried out here, and nowhere else.
extension Server {
    func execute(_ effects: [Effect]) {
        for effect in effects { execute(effect) }
    }

    private func execute(_ effect: Effect) {
        switch effect {
        case .append(let event): append(event)
        case .reply(let session, let tag, let reply):
            if let connection = connection(of: session) { answer(reply, tag, connection) }
        case .notify(let session, let notice):
            guard let connection = connection(of: session) else { return }
            touch(connection)
            ReplyEncoder.append(notice, to: &connection.output)
        case .read(let session, let tag, let plan):
            guard let connection = connection(of: session) else { return }
            connection.reading = ReadCursor(plan, tag: tag)
            advance(connection)
        case .follow(let session, let id, let selection, let from):
            connection(of: session)?.subscriptions.append(Subscription(id: id, selection: selection, from: from))
        case .unfollow(let session, let id):
            connection(of: session)?.subscriptions.removeAll { $0.id == id }
        case .endFollowing(let session, let id, let reason): end(session, id, reason)
        case .checkpoint(let session, let tag): awaitCheckpoint(session, tag)
        case .verify(let session, let tag): verify(session, tag)
        case .backUp(let session, let tag, let path): backUp(session, tag, to: path)
        case .report(let session, let tag):
            if let connection = connection(of: session) { answer(.done(.members(report())), tag, connection) }
        case .help(let session, let tag, let topic):
            guard let connection = connection(of: session) else { return }
            for reply in Help.answer(topic) { answer(reply, tag, connection) }
        case .finish(let session):
            guard let connection = connection(of: session) else { return }
            touch(connection)
            connection.isFinishing = true
        }
    }

    /// Goes on with the `READ` that the connection is being answered.
    func advance(_ connection: Connection) {
        guard var cursor = connection.reading else { return }
        touch(connection)
        let size = connection.output.count + roomAhead(connection)
        do throws(StorageError) {
            let progress = try cursor.go(&connection.output, until: size, log: log, store: dependency.store)
            switch progress {
            case .full:
                connection.reading = cursor
                // Without output in the way the go ended for its length: the next turn goes on.
                if roomAhead(connection) > 0 { markReady(connection) }
            case .finished(let count, let next):
                connection.reading = nil
                let done = Done.read(count: count, next: next, position: cursor.plan.head)
                answer(.done(done), cursor.tag, connection)
            }
        } catch {
            connection.reading = nil
            storageFailed(error, connection, cursor.tag)
        }
    }

    private func storageFailed(_ error: StorageError, _ connection: Connection, _ tag: Tag?) {
        answer(.failed(failure(error)), tag, connection)
    }

    private func end(_ session: SessionID, _ id: SubscriptionID, _ reason: EndReason) {
        guard let connection = connection(of: session),
            let subscription = connection.subscriptions.first(where: { $0.id == id })
        else { return }
        connection.subscriptions.removeAll { $0.id == id }
        touch(connection)
        ReplyEncoder.append(.end(reason, resume: subscription.next), subscription: id, to: &connection.output)
    }
}
