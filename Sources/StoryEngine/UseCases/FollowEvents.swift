import StoryCore

/// `SUBSCRIBE`: the position at which pushes begin.
enum FollowEvents {
    /// Returns the position of the first event that may be pushed.
    ///
    /// - Throws: `diverged` for another history, `invalid` beyond the log's end, or the error of reading the log.
    static func start(
        _ query: SubscribeQuery, in world: World, endingAt head: Position, _ identity: LogIdentity
    ) throws(Failure) -> Position {
        let start = try position(query.from, in: world, endingAt: head)
        try identity.check(query.log, next: start)
        guard start <= head.next else {
            let message = "the log ends at \(head.value): from= is at most \(head.next.value)"
            throw Failure.invalid("from", .outOfRange, message)
        }
        return start
    }

    private static func position(
        _ from: Moment?, in world: World, endingAt head: Position
    ) throws(Failure) -> Position {
        switch from {
        case nil: head.next
        case .position(let position): position
        // The log may have events before that time that are not durable, or are rolled back: clamped to the next event.
        case .time(let time): min(try world.firstPosition(notBefore: time), head.next)
        }
    }
}
