import StoryCore

/// `SUBSCRIBE`: where pushes begin.
enum FollowEvents {
    /// The position of the first event that may be pushed.
    ///
    /// - Throws: `diverged` in another history, `invalid` beyond the log's end, or why the log cannot be read.
    static func start(_ query: SubscribeQuery, in world: World) throws(Failure) -> Position {
        let start = try position(query.from, in: world)
        try world.identity.check(query.log, next: start)
        guard start <= world.head.next else {
            let message = "the log ends at \(world.head.value): from= is at most \(world.head.next.value)"
            throw Failure.invalid("from", .outOfRange, message)
        }
        return start
    }

    private static func position(_ from: Moment?, in world: World) throws(Failure) -> Position {
        switch from {
        case nil: world.head.next
        case .position(let position): position
        // Events before that time may be about to become durable, or undone: then pushes begin with the next one.
        case .time(let time): min(try world.firstPosition(notBefore: time), world.head.next)
        }
    }
}
