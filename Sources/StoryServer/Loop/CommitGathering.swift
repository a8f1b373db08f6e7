/// The group-commit delay: how long to wait for more writes after a slow sync.
///
/// Without it, the next commit would start with the first client that writes again, and the others would wait for two
/// syncs. It waits as long as writes keep coming, but no longer than a commit takes.
struct CommitGathering: Equatable {
    /// The longest gap between two writes, as a fraction (1/4) of a commit's duration.
    private static let share: UInt64 = 4

    /// When the delay ends in any case, in nanoseconds of the steady clock.
    private var deadline: UInt64 = 0
    /// When the delay ends unless another event comes, in nanoseconds of the steady clock.
    private var patience: UInt64 = 0
    /// The longest gap between two events, in nanoseconds.
    private var gap: UInt64 = 0
    /// The number of events that end the delay when they are there.
    private var wanted: UInt64 = 0
    /// The number of events at the last look.
    private var seen: UInt64 = 0

    /// Starts the delay after a commit in the background.
    ///
    /// - Parameters:
    ///   - events: the number of events that it had, plus those appended meanwhile.
    ///   - duration: how long the commit took, in nanoseconds.
    ///   - now: nanoseconds of the steady clock.
    mutating func slowCommitEnded(events: UInt64, duration: UInt64, at now: UInt64) {
        gap = duration / CommitGathering.share
        deadline = now + duration
        patience = now + gap
        wanted = events
        seen = 0
    }

    /// Returns how long the next commit still waits unless another event comes, in nanoseconds; 0 when it is due.
    ///
    /// - Parameter events: the number of events that it would have.
    mutating func waitingTime(with events: UInt64, at now: UInt64) -> UInt64 {
        guard events < wanted, now < deadline else { return 0 }
        if events > seen {
            seen = events
            patience = now + gap
        }
        return now < patience ? min(patience, deadline) - now : 0
    }
}
