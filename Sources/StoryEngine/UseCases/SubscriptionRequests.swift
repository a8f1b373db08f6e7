import StoryCore

/// Requests that begin and end subscriptions.
struct SubscriptionRequests {
    let engine: Engine

    func begin(_ query: SubscribeQuery, tag: Tag?, of session: inout Session, to output: any TurnOutput) {
        let head = output.durable
        let start: Position
        do throws(Failure) {
            start = try self.start(query, endingAt: head)
        } catch {
            return output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
        guard let id = session.subscribe(query, from: start, limit: engine.limits.subscriptions) else {
            let message = "a connection has at most \(engine.limits.subscriptions) subscriptions; UNSUBSCRIBE one first"
            let failure = Failure(.tooLarge, message, .limit(engine.limits.subscriptions))
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        output.reply(.done(.subscribed(id, position: head)), tag: tag, restsOn: .zero)
    }

    /// Returns the position of the first event that may be pushed.
    ///
    /// - Throws: `diverged` for another history, `invalid` beyond the log's end, or the error of reading the log.
    private func start(_ query: SubscribeQuery, endingAt head: Position) throws(Failure) -> Position {
        let start =
            switch query.from {
            case nil: head.next
            case .position(let position): position
            // The log may have events before that time that are not durable, or are rolled back: clamped to the next
            // event.
            case .time(let time): min(try engine.world.firstPosition(notBefore: time), head.next)
            }
        try engine.identity.check(query.log, next: start)
        guard start <= head.next else {
            let message = "the log ends at \(head.value): from= is at most \(head.next.value)"
            throw Failure.invalid("from", .outOfRange, message)
        }
        return start
    }

    func end(_ id: SubscriptionID, tag: Tag?, of session: inout Session, to output: any TurnOutput) {
        guard let ended = session.unsubscribe(id, published: output.published) else {
            let failure = Failure.notFound("subscription \(id.value) of this connection")
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        let members = [Member("unsubscribed", .count(id.value)), Member("resume", .count(ended.next.value))]
        output.reply(.done(.members(members)), tag: tag, restsOn: .zero)
    }
}
