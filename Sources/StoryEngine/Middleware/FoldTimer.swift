package import StoryCore

/// Counts the events of each kind that are folded, and measures how long the first of each sixteen took: reading the
/// clock twice would cost a tenth of a fold.
package final class FoldTimer {
    private let clock: () -> UInt64
    private let record: (_ kind: Kind?, _ nanoseconds: UInt64) -> Void
    /// Of the users' own events, and then of those of each kind, by its number.
    @exclusivity(unchecked) private var counts: [UInt64]

    /// - Parameters:
    ///   - clock: nanoseconds, never going backwards.
    ///   - record: hears the kind that the event is of, nil for the users' own, and how long its fold took.
    package init(
        _ catalogue: Catalogue, clock: @escaping () -> UInt64,
        record: @escaping (_ kind: Kind?, _ nanoseconds: UInt64) -> Void
    ) {
        counts = Array(repeating: 0, count: catalogue.kinds.count + 1)
        self.clock = clock
        self.record = record
    }

    /// How many events of a kind were folded; nil: of the users' own.
    package func count(of kind: Kind?) -> UInt64 { counts[FoldTimer.slot(kind)] }

    /// The place of a kind in tables that have one for the users' own events before those of the kinds.
    package static func slot(_ kind: Kind?) -> Int { kind.map { Int($0.number) + 1 } ?? 0 }

    /// An event of a kind is about to be folded; true where it is one of those that are measured.
    @inline(__always)
    func comesDue(_ kind: Kind?) -> Bool {
        let slot = FoldTimer.slot(kind)
        let count = counts[slot]
        counts[slot] = count + 1
        return count & 15 == 0
    }

    /// Folds and records how long it took.
    ///
    /// - Parameter kind: the kind that the event is of, nil for the users' own.
    /// - Throws: what the fold throws.
    func measure(_ kind: Kind?, _ fold: () throws(StorageError) -> Void) throws(StorageError) {
        let began = clock()
        try fold()
        record(kind, clock() - began)
    }
}
