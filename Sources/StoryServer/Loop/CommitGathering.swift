/// How long the next commit waits after a slow one, for the clients whose replies just left.
///
/// Without it that commit would go off with the first of them alone, and the others would wait for two syncs.
struct CommitGathering: Equatable {
    /// The part of a commit's time that is waited at most.
    private static let share: UInt64 = 4

    /// When the waiting ends, in nanoseconds of the steady clock.
    private var deadline: UInt64 = 0
    /// How many events are expected: when they are there, nobody is waited for.
    private var wanted: UInt64 = 0

    /// A commit beside the loop ended.
    ///
    /// - Parameters:
    ///   - events: how many it had, and how many were appended meanwhile.
    ///   - duration: how long commits take, in nanoseconds.
    ///   - now: nanoseconds of the steady clock.
    mutating func slowCommitEnded(events: UInt64, duration: UInt64, at now: UInt64) {
        deadline = now + duration / CommitGathering.share
        wanted = events
    }

    /// True while the next commit waits.
    ///
    /// - Parameter events: how many it would have.
    func isWaiting(with events: UInt64, at now: UInt64) -> Bool { events < wanted && now < deadline }
}
