package import StoryCore

/// Measures the folding of every sixteenth event: reading the clock twice would cost a tenth of a fold.
package struct FoldTimer {
    private static let interval: UInt8 = 16
    private var left: UInt8 = 1
    private let clock: () -> UInt64
    private let record: (_ kind: KindSchema?, _ nanoseconds: UInt64) -> Void

    /// - Parameters:
    ///   - clock: nanoseconds, never going backwards.
    ///   - record: hears the kind that the event is of, nil for the users' own, and how long its fold took.
    package init(clock: @escaping () -> UInt64, record: @escaping (_ kind: KindSchema?, _ nanoseconds: UInt64) -> Void)
    {
        self.clock = clock
        self.record = record
    }

    /// An event is about to be folded; true where it is one of those that are measured.
    @inline(__always)
    mutating func comesDue() -> Bool {
        left -= 1
        guard left == 0 else { return false }
        left = FoldTimer.interval
        return true
    }

    /// Folds and records how long it took.
    ///
    /// - Parameter kind: the kind that the event is of, nil for the users' own.
    /// - Throws: what the fold throws.
    func measure(
        _ kind: @autoclosure () -> KindSchema?, _ fold: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let began = clock()
        try fold()
        record(kind(), clock() - began)
    }
}
