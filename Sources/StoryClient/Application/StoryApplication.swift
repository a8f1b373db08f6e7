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
