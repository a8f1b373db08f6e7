/// The moment at which a wait ends; without a limit, the wait never ends.
struct Deadline {
    private var end: ContinuousClock.Instant?

    /// Creates a deadline that is the given duration from now; nil: no limit.
    init(after patience: Duration?) { end = patience.map { ContinuousClock.now + $0 } }

    /// Returns the earlier one of two deadlines.
    func earlier(_ other: Deadline) -> Deadline {
        var deadline = self
        deadline.end = [end, other.end].compactMap(\.self).min()
        return deadline
    }

    /// The remaining time in whole milliseconds, for `poll`: 0 when it is over, −1 without a limit.
    var milliseconds: Int32 {
        guard let end else { return -1 }
        let left = ContinuousClock.now.duration(to: end).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        // Rounded up, so that waiting never ends a little too early and spins.
        let rest = left.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: min(left.seconds, 1_000_000) * 1_000 + rest)
    }
}
