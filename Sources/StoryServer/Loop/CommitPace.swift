/// Whether syncs are quick: of a client who is alone, the loop runs such commits itself and saves a hand-over.
struct CommitPace: Equatable {
    /// Commits that take less than this on the average are quick, in nanoseconds.
    static let quick: UInt64 = 300_000
    /// How many commits the average is about.
    private static let weight: UInt64 = 8

    /// The moving average of how long commits took, in nanoseconds.
    private(set) var average: UInt64 = 0

    var isQuick: Bool { average < CommitPace.quick }

    /// A commit took so long, in nanoseconds. A single slow one does not count for more than a few quick ones.
    mutating func measured(_ nanoseconds: UInt64) {
        let bounded = min(nanoseconds, CommitPace.quick * CommitPace.weight)
        average = (average * (CommitPace.weight - 1) + bounded) / CommitPace.weight
    }
}
