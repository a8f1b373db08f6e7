/// The silence of a source that this store is connected to, in ticks of 0.1 s.
///
/// A source without events says nothing, so it is asked for its position.
struct SourceSilence {
    /// The action of a tick.
    enum Action {
        case nothing
        /// Ask the source for its position.
        case ask
        /// Trace that it does not answer.
        case tell
    }

    /// The silence after which the source is asked, again and again.
    private let question: UInt64
    /// The silence after which it counts as lost.
    private let most: UInt64
    private var heardAt: UInt64
    /// True from the moment at which the silence is too long until the source sends something.
    private(set) var isLong = false

    init(since tick: UInt64, question: UInt64 = 20, most: UInt64 = 100) {
        (self.question, self.most, heardAt) = (question, most, tick)
    }

    /// Returns the length of the silence.
    func ticks(at tick: UInt64) -> UInt64 { tick - min(heardAt, tick) }

    /// Notes that the source sent something; returns true where it counted as lost.
    mutating func heard(at tick: UInt64) -> Bool {
        defer { (heardAt, isLong) = (tick, false) }
        return isLong
    }

    /// Notes that there is no connection, which is a loss of its own.
    mutating func linkIsGone() { isLong = false }

    /// Counts a tick of a connection.
    ///
    /// - Parameter isExcused: whether the source is not listened to, since lines wait here, for example.
    mutating func ticked(at tick: UInt64, isExcused: Bool) -> Action {
        if isExcused { heardAt = tick }
        let ticks = ticks(at: tick)
        if ticks >= most, !isLong {
            isLong = true
            return .tell
        }
        return ticks > 0 && ticks % question == 0 ? .ask : .nothing
    }
}
