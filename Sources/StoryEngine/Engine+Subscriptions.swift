import StoryCore

/// Requests that begin and end subscriptions.
extension Engine {
    func subscribe(
        _ session: inout Session, _ tag: Tag?, _ query: SubscribeQuery, _ output: any TurnOutput
    ) {
        let head = output.durable
        let start: Position
        do throws(Failure) {
            start = try FollowEvents.start(query, in: world, endingAt: head, identity)
        } catch {
            return output.reply(.failed(error), tag: tag, restsOn: .zero)
        }
        guard let id = session.subscribe(query, from: start, limit: limits.subscriptions) else {
            let message = "a connection has at most \(limits.subscriptions) subscriptions; UNSUBSCRIBE one first"
            let failure = Failure(.tooLarge, message, .limit(limits.subscriptions))
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        output.reply(.done(.subscribed(id, position: head)), tag: tag, restsOn: .zero)
    }

    func unsubscribe(
        _ session: inout Session, _ tag: Tag?, _ id: SubscriptionID, _ output: any TurnOutput
    ) {
        guard let ended = session.unsubscribe(id, published: output.published) else {
            let failure = Failure.notFound("subscription \(id.value) of this connection")
            return output.reply(.failed(failure), tag: tag, restsOn: .zero)
        }
        let members = [Member("unsubscribed", .count(id.value)), Member("resume", .count(ended.next.value))]
        output.reply(.done(.members(members)), tag: tag, restsOn: .zero)
    }
}
