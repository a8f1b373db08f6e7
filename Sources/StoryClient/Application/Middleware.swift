/// A wrapper around an application's `update` that sees every message, the state before it and the result.
public protocol Middleware<State, Message, Command>: Sendable {
    /// The application's state.
    associatedtype State
    /// The application's messages.
    associatedtype Message
    /// The application's commands.
    associatedtype Command

    /// Handles a message by calling `next`, or by returning a result of its own.
    ///
    /// - Parameters:
    ///   - state: the state before the message.
    ///   - message: the message.
    ///   - next: the middleware behind this one, or the application.
    func update(
        _ state: State, _ message: Message, next: (State, Message) -> (State, Command?)
    ) -> (State, Command?)
}

/// Middleware that measures each update: the time of the application and of the middleware behind this one.
public struct TimeLogger<State, Message, Command>: Middleware {
    private let now: @Sendable () -> Duration
    private let sink: @Sendable (_ message: String, _ time: Duration) -> Void

    /// Creates middleware that measures with a clock.
    ///
    /// - Parameters:
    ///   - clock: the clock to measure with.
    ///   - sink: receives the name of each message, without its associated values, and the time that its update took.
    public init<C: Clock<Duration>>(
        clock: C = ContinuousClock(), sink: @escaping @Sendable (_ message: String, _ time: Duration) -> Void
    ) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.sink = sink
    }

    /// Calls `next` and passes the elapsed time to the sink.
    public func update(
        _ state: State, _ message: Message, next: (State, Message) -> (State, Command?)
    ) -> (State, Command?) {
        let start = now()
        defer { sink(TimeLogger.name(of: message), now() - start) }
        return next(state, message)
    }

    /// Returns the name of a message without its associated values; a case within another is `outer.inner`.
    static func name(of message: Any, depth: Int = 3) -> String {
        let mirror = Mirror(reflecting: message)
        guard mirror.displayStyle == .enum else { return "\(type(of: message))" }
        guard let child = mirror.children.first, let label = child.label else { return "\(message)" }
        guard depth > 1, let inner = TimeLogger.inner(of: child.value) else { return label }
        return label + "." + name(of: inner, depth: depth - 1)
    }

    /// Returns the enum that a message carries, alone or as the first one among other values.
    private static func inner(of value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .enum { return value }
        guard mirror.displayStyle == .tuple else { return nil }
        return mirror.children.first { Mirror(reflecting: $0.value).displayStyle == .enum }?.value
    }
}
