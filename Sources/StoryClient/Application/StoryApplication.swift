/// An application after the Elm architecture: a value for all that it knows, and pure functions over it.
///
/// Whatever happens is a message. `update` makes the next state out of the state and a message, and may ask for one
/// command; what the application listens to follows from its state alone. An `ApplicationRuntime` does the rest.
public protocol StoryApplication: Sendable {
    /// All that the application knows.
    associatedtype State: Equatable & Sendable
    /// What can happen.
    associatedtype Message: Sendable
    /// What can be asked of the world once.
    associatedtype Command: Sendable
    /// What can be listened to. Two that are equal are one subscription.
    associatedtype Subscription: Hashable & Sendable

    /// The state before anything has happened.
    var initial: State { get }

    /// What becomes of a state when something happens: the next state, and what is to be done, if anything.
    func update(_ state: State, _ message: Message) -> (State, Command?)

    /// What is listened to in a state. The runtime starts what is new in it and stops what is gone from it.
    func subscriptions(for state: State) -> Set<Subscription>
}
