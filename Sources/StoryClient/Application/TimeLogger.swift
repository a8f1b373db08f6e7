/// Middleware that measures how long each update takes: its own application's, and the middleware's behind it.
public struct TimeLogger<State, Message, Command>: Middleware {
    private let now: @Sendable () -> Duration
    private let sink: @Sendable (_ message: String, _ time: Duration) -> Void

    /// Measures with a clock.
    ///
    /// - Parameters:
    ///   - clock: what the time is taken from.
    ///   - sink: gets the name of each message, without what it carries, and how long its update took.
    public init<C: Clock<Duration>>(
        clock: C = ContinuousClock(), sink: @escaping @Sendable (_ message: String, _ time: Duration) -> Void
    ) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.sink = sink
    }

    /// Hands the message on, and tells how long that took.
    public func update(
        _ state: State, _ message: Message, next: (State, Message) -> (State, Command?)
    ) -> (State, Command?) {
        let start = now()
        defer { sink(TimeLogger.name(of: message), now() - start) }
        return next(state, message)
    }

    /// The name of a message, without what it carries: of one case within another, `outer.inner`.
    static func name(of message: Any, depth: Int = 3) -> String {
        let mirror = Mirror(reflecting: message)
        guard mirror.displayStyle == .enum else { return "\(type(of: message))" }
        guard let child = mirror.children.first, let label = child.label else { return "\(message)" }
        guard depth > 1, let inner = TimeLogger.inner(of: child.value) else { return label }
        return label + "." + name(of: inner, depth: depth - 1)
    }

    /// The enum that a message carries, alone or among others.
    private static func inner(of value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .enum { return value }
        guard mirror.displayStyle == .tuple else { return nil }
        return mirror.children.first { Mirror(reflecting: $0.value).displayStyle == .enum }?.value
    }
}
