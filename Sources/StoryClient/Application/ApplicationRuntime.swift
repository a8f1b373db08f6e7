/// The runtime of an application: it owns the state and handles one message at a time.
///
/// A message passes through the middleware, the first one outermost, to the application's `update`. After that, in this
/// order: the state is rendered if it changed; subscriptions that the state no longer asks for are stopped, and those
/// that it newly asks for are started; the command is executed concurrently with other commands.
///
/// Messages of a stopped subscription are ignored. A subscription that ended by itself is not restarted while the state
/// still asks for it.
public actor ApplicationRuntime<Application: StoryApplication> {
    /// The application's state.
    public typealias State = Application.State
    /// The application's messages.
    public typealias Message = Application.Message
    /// The application's commands.
    public typealias Command = Application.Command
    /// The application's subscriptions.
    public typealias Subscription = Application.Subscription

    /// A subscription that was started and not stopped.
    private struct Listening {
        /// Distinguishes this run of the subscription from earlier ones.
        let number: UInt64
        let task: Task<Void, Never>
    }

    /// The application's current state.
    public private(set) var state: State
    private let application: Application
    private let middleware: [any Middleware<State, Message, Command>]
    private let executor: any CommandExecutor<Command, Message>
    private let source: any SubscriptionSource<Subscription, Message>
    private let renderer: any Renderer<State>
    private var listening: [Subscription: Listening] = [:]
    private var commands: [UInt64: Task<Void, Never>] = [:]
    private var number: UInt64 = 0
    private var isRunning = false

    /// Creates a runtime that does nothing before `start`.
    ///
    /// - Parameters:
    ///   - application: the application to run.
    ///   - middleware: the middleware around its updates, the outermost first.
    ///   - executor: carries out its commands.
    ///   - source: listens to its subscriptions.
    ///   - renderer: shows its states.
    public init(
        _ application: Application, middleware: [any Middleware<State, Message, Command>] = [],
        executor: any CommandExecutor<Command, Message>, source: any SubscriptionSource<Subscription, Message>,
        renderer: any Renderer<State>
    ) {
        (self.application, self.middleware) = (application, middleware)
        (self.executor, self.source, self.renderer) = (executor, source, renderer)
        state = application.initial
    }

    /// The subscriptions that were started and not stopped, including those that ended by themselves.
    public var activeSubscriptions: Set<Subscription> { Set(listening.keys) }

    /// Renders the state and starts its subscriptions.
    public func start() {
        guard !isRunning else { return }
        isRunning = true
        renderer.render(state)
        listen()
    }

    /// Handles a message; ignored before `start` and after `stop`.
    public func send(_ message: Message) {
        guard isRunning else { return }
        let (next, command) = update(state, message, through: middleware[...])
        let isChanged = next != state
        state = next
        if isChanged {
            renderer.render(state)
            listen()
        }
        if let command { carryOut(command) }
    }

    /// Updates a state through middleware: the first one sees the message first and the result last.
    private func update(
        _ state: State, _ message: Message, through links: ArraySlice<any Middleware<State, Message, Command>>
    ) -> (State, Command?) {
        guard let first = links.first else { return application.update(state, message) }
        return first.update(state, message) { update($0, $1, through: links.dropFirst()) }
    }

    /// Stops every subscription and cancels every command; later messages are ignored.
    public func stop() {
        isRunning = false
        for listening in listening.values { listening.task.cancel() }
        for task in commands.values { task.cancel() }
        (listening, commands) = ([:], [:])
    }

    /// Starts and stops subscriptions to match those that the state asks for.
    private func listen() {
        let wanted = application.subscriptions(for: state)
        for (subscription, gone) in listening where !wanted.contains(subscription) {
            gone.task.cancel()
            listening[subscription] = nil
        }
        for subscription in wanted where listening[subscription] == nil { start(subscription) }
    }

    private func start(_ subscription: Subscription) {
        number += 1
        let (number, source) = (number, source)
        let task = Task { [weak self] in
            await source.listen(to: subscription) { [weak self] message in
                await self?.send(message, of: subscription, number)
            }
        }
        listening[subscription] = Listening(number: number, task: task)
    }

    /// Handles a message of a subscription, unless that was stopped meanwhile.
    private func send(_ message: Message, of subscription: Subscription, _ number: UInt64) {
        guard listening[subscription]?.number == number else { return }
        send(message)
    }

    private func carryOut(_ command: Command) {
        number += 1
        let (number, executor) = (number, executor)
        commands[number] = Task { [weak self] in
            let messages = await executor.execute(command)
            await self?.finish(number, messages)
        }
    }

    private func finish(_ number: UInt64, _ messages: [Message]) {
        guard commands.removeValue(forKey: number) != nil else { return }
        for message in messages { send(message) }
    }

    deinit {
        for listening in listening.values { listening.task.cancel() }
        for task in commands.values { task.cancel() }
    }
}
