/// An executor of an application's commands.
public protocol CommandExecutor<Command, Message>: Sendable {
    /// The application's commands.
    associatedtype Command: Sendable
    /// The application's messages.
    associatedtype Message: Sendable

    /// Executes a command and returns its results as messages, in the order in which they are to be handled.
    ///
    /// It runs in a task of its own, which is cancelled when the runtime stops.
    func execute(_ command: Command) async -> [Message]
}

/// A source of the messages that an application subscribes to.
public protocol SubscriptionSource<Subscription, Message>: Sendable {
    /// The application's subscriptions.
    associatedtype Subscription: Hashable & Sendable
    /// The application's messages.
    associatedtype Message: Sendable

    /// Sends the messages of a subscription until its task is cancelled or the subscription ends.
    ///
    /// - Parameters:
    ///   - subscription: the subscription to listen to.
    ///   - send: passes a message to the application and returns once it was handled, so that a source is at most one
    ///     message ahead of the application.
    func listen(to subscription: Subscription, send: @escaping @Sendable (Message) async -> Void) async
}

/// A renderer of an application's states.
public protocol Renderer<State>: Sendable {
    /// The application's state.
    associatedtype State: Sendable

    /// Shows a state. It is called at the start and then for each state that differs from the one before, in order, and
    /// must not wait.
    func render(_ state: State)
}
