/// How long the next commit waits after a slow one, for the clients whose replies just left.
///
/// Without it that commit would go off with the first of them alone, and the others would wait for two syncs. It waits
/// for as long as they keep coming, but no longer than a commit takes.
struct CommitGathering: Equatable {
    /// The part of a commit's time within which the next one has to come.
    private static let share: UInt64 = 4

    /// When the waiting ends, in nanoseconds of the steady clock.
    private var deadline: UInt64 = 0
    /// When it ends unless another event comes.
    private var patience: UInt64 = 0
    /// How long another event is waited for, in nanoseconds.
    private var gap: UInt64 = 0
    /// How many events are expected: when they are there, nobody is waited for.
    private var wanted: UInt64 = 0
    /// How many there were at the last look.
    private var seen: UInt64 = 0

    /// A commit beside the loop ended.
    ///
    /// - Parameters:
    ///   - events: how many it had, and how many were appended meanwhile.
    ///   - duration: how long commits take, in nanoseconds.
    ///   - now: nanoseconds of the steady clock.
    mutating func slowCommitEnded(events: UInt64, duration: UInt64, at now: UInt64) {
        gap = duration / CommitGathering.share
        deadline = now + duration
        patience = now + gap
        wanted = events
        seen = 0
    }

    /// For how long the next commit waits from now on unless another event comes, in nanoseconds; 0 when it goes off.
    ///
    /// - Parameter events: how many it would have.
    mutating func waitingTime(with events: UInt64, at now: UInt64) -> UInt64 {
        guard events < wanted, now < deadline else { return 0 }
        if events > seen {
            seen = events
            patience = now + gap
        }
        return now < patience ? min(patience, deadline) - now : 0
    }
}
