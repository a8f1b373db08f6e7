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
