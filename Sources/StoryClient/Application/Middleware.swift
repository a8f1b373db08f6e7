/// What stands around an application's `update` and sees every message, the state before it and what came of it.
public protocol Middleware<State, Message, Command>: Sendable {
    associatedtype State
    associatedtype Message
    associatedtype Command

    /// Hands a message on to what it stands around, or answers itself.
    ///
    /// - Parameters:
    ///   - state: the state before.
    ///   - message: what happened.
    ///   - next: the middleware behind this one, or the application.
    func update(
        _ state: State, _ message: Message, next: (State, Message) -> (State, Command?)
    ) -> (State, Command?)
}

/// An application's `update` with middleware around it.
struct UpdateChain<Application: StoryApplication>: Sendable {
    typealias Link = any Middleware<Application.State, Application.Message, Application.Command>

    let application: Application
    /// The first one is the outermost: it sees a message first, and last what came of it.
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
