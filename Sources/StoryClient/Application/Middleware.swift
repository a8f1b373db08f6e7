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

/// An application's `update` with middleware around it.
struct UpdateChain<Application: StoryApplication>: Sendable {
    typealias Link = any Middleware<Application.State, Application.Message, Application.Command>

    let application: Application
    /// The middleware, the outermost first: that one sees a message first and the result last.
    let middleware: [Link]

    func update(
        _ state: Application.State, _ message: Application.Message
    ) -> (Application.State, Application.Command?) {
        update(state, message, through: middleware[...])
    }

    private func update(
        _ state: Application.State, _ message: Application.Message, through links: ArraySlice<Link>
    ) -> (Application.State, Application.Command?) {
        guard let first = links.first else { return application.update(state, message) }
        return first.update(state, message) { update($0, $1, through: links.dropFirst()) }
    }
}
