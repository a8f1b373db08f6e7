/// The ticks of the loop's timer, in which waits and silences are counted.
enum Ticks {
    /// The number of ticks in a second: a tick is 0.1 s.
    static let perSecond: UInt64 = 10
}
