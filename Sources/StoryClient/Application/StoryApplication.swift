/// An application in the Elm architecture: a value for its whole state, and pure functions over it.
///
/// Every input is a message. `update` makes the next state out of the state and a message, and may return one command;
/// the subscriptions depend on the state alone. An `ApplicationRuntime` does the rest.
public protocol StoryApplication: Sendable {
    /// The whole state of the application.
    associatedtype State: Equatable & Sendable
    /// A message: an input that `update` handles.
    associatedtype Message: Sendable
    /// A command: an action in the outside world that is done once.
    associatedtype Command: Sendable
    /// A subscription: a source of messages. Equal values are one subscription.
    associatedtype Subscription: Hashable & Sendable

    /// The state before anything has happened.
    var initial: State { get }

    /// Returns the next state after a message, and a command if one is to be executed.
    func update(_ state: State, _ message: Message) -> (State, Command?)

    /// Returns the subscriptions of a state. The runtime starts the new ones and stops those that are no longer among
    /// them.
    func subscriptions(for state: State) -> Set<Subscription>
}

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
