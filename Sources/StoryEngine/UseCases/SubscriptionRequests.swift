import StoryCore

/// Requests that begin and end subscriptions.
struct SubscriptionRequests {
    let engine: Engine

    func begin(_ query: SubscribeQuery, tag: Tag?, of session: inout Session, to output: any TurnOutput) {
        let head = output.durable
        let start: Position
        do throws(Failure) {
            start = try FollowEvents.start(query, in: engine.world, endingAt: head, engine.identity)
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

    func end(_ id: SubscriptionID, tag: Tag?, of session: inout Session, to output: any TurnOutput) {
        guard let ended = session.unsubscribe(id, published: output.published) else {
            let failure = Failure.notFound("subscription \(id.value) of this connection")
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        let members = [Member("unsubscribed", .count(id.value)), Member("resume", .count(ended.next.value))]
        output.reply(.done(.members(members)), tag: tag, restsOn: .zero)
    }
}
