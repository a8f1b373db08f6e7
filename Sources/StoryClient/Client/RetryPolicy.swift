/// How long, and how often, a lost connection is made again and a request sent again.
public struct RetryPolicy: Hashable, Sendable {
    /// For how long at most, from the first failure on.
    public var limit: Duration
    /// The pause before the second attempt; each further one may be twice as long.
    public var firstDelay: Duration
    /// The longest pause.
    public var maxDelay: Duration

    /// A policy; without arguments 20 seconds, with pauses from 10 milliseconds to one second.
    public init(
        limit: Duration = .seconds(20), firstDelay: Duration = .milliseconds(10), maxDelay: Duration = .seconds(1)
    ) {
        self.limit = limit
        self.firstDelay = firstDelay
        self.maxDelay = maxDelay
    }

    /// The pause before an attempt, 0 being the first: doubled each time up to the longest, and of that a random part
    /// between a half and the whole, so that many clients do not come back at the same moment.
    func delay(before attempt: Int) -> Duration {
        guard attempt > 0 else { return .zero }
        let doublings = Double(1 << min(attempt - 1, 20))
        return min(maxDelay, firstDelay * doublings) * Double.random(in: 0.5...1)
    }
}
