/// Carries out an application's commands.
public protocol CommandExecutor<Command, Message>: Sendable {
    associatedtype Command: Sendable
    associatedtype Message: Sendable

    /// Does what a command says; what came of it, as messages in the order in which they are to be taken.
    ///
    /// It runs in a task of its own, which is cancelled when the runtime stops.
    func execute(_ command: Command) async -> [Message]
}

/// Listens to what an application subscribes to.
public protocol SubscriptionSource<Subscription, Message>: Sendable {
    associatedtype Subscription: Hashable & Sendable
    associatedtype Message: Sendable

    /// Listens until its task is cancelled or there is nothing more to come.
    ///
    /// - Parameters:
    ///   - subscription: what to listen to.
    ///   - send: hands a message to the application and returns once it was taken, so that a source is never ahead of
    ///     the application by more than one message.
    func listen(to subscription: Subscription, send: @escaping @Sendable (Message) async -> Void) async
}

/// Shows an application's state.
public protocol Renderer<State>: Sendable {
    associatedtype State: Sendable

    /// Shows a state. It is called for each state that differs from the one before, in their order, and must not wait.
    func render(_ state: State)
}
