/// The average duration of commits. Where syncs are quick and there is one client, the loop runs commits itself, which
/// saves a hand-over to the thread.
struct CommitPace: Equatable {
    /// Commits are quick when their average is below this, in nanoseconds.
    static let quick: UInt64 = 300_000
    /// The number of commits that the average covers.
    private static let weight: UInt64 = 8

    /// The moving average of commit durations, in nanoseconds.
    private(set) var average: UInt64 = 0

    var isQuick: Bool { average < CommitPace.quick }

    /// Adds a commit's duration, in nanoseconds; a single slow one is capped at eight times the threshold.
    mutating func measured(_ nanoseconds: UInt64) {
        let bounded = min(nanoseconds, CommitPace.quick * CommitPace.weight)
        average = (average * (CommitPace.weight - 1) + bounded) / CommitPace.weight
    }
}
