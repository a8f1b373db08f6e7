/// The time limit and the pauses for making a lost connection and sending a request again.
public struct RetryPolicy: Hashable, Sendable {
    /// The time limit, from the first failure on.
    public var limit: Duration
    /// The pause before the second attempt; each further one may be twice as long.
    public var firstDelay: Duration
    /// The longest pause.
    public var maxDelay: Duration

    /// Creates a policy; the default is 20 seconds, with pauses from 10 milliseconds to one second.
    public init(
        limit: Duration = .seconds(20), firstDelay: Duration = .milliseconds(10), maxDelay: Duration = .seconds(1)
    ) {
        self.limit = limit
        self.firstDelay = firstDelay
        self.maxDelay = maxDelay
    }

    /// Returns the pause before an attempt, 0 being the first: exponential back-off up to `maxDelay`, times a random
    /// factor from 0.5 to 1, so that many clients do not come back at the same moment.
    func delay(before attempt: Int) -> Duration {
        guard attempt > 0 else { return .zero }
        let doublings = Double(1 << min(attempt - 1, 20))
        return min(maxDelay, firstDelay * doublings) * Double.random(in: 0.5...1)
    }
}
