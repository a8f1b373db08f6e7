/// Runs an application: it owns the state, and takes up one message after the other.
///
/// A message goes through the middleware, the first of them outermost, to the application's `update`. Then, in this
/// order: a state that differs from the one before is rendered; subscriptions that the state no longer asks for are
/// stopped, and those that it newly asks for are started; the command is carried out, beside other commands.
///
/// No message of a subscription is taken up once it was stopped. One that ended by itself is not started again while the
/// state goes on asking for it.
public actor ApplicationRuntime<Application: StoryApplication> {
    public typealias State = Application.State
    public typealias Message = Application.Message
    public typealias Command = Application.Command
    public typealias Subscription = Application.Subscription

    private struct Listening {
        /// Tells this time of listening from others to the same subscription.
        let number: UInt64
        let task: Task<Void, Never>
    }

    /// What the application knows now.
    public private(set) var state: State
    private let application: Application
    private let chain: UpdateChain<Application>
    private let executor: any CommandExecutor<Command, Message>
    private let source: any SubscriptionSource<Subscription, Message>
    private let renderer: any Renderer<State>
    private var listening: [Subscription: Listening] = [:]
    private var commands: [UInt64: Task<Void, Never>] = [:]
    private var number: UInt64 = 0
    private var isRunning = false

    /// An application with all that it needs of the world; it does nothing before `start`.
    ///
    /// - Parameters:
    ///   - application: what to run.
    ///   - middleware: what stands around its updates, the outermost first.
    ///   - executor: carries out its commands.
    ///   - source: listens to its subscriptions.
    ///   - renderer: shows its states.
    public init(
        _ application: Application, middleware: [any Middleware<State, Message, Command>] = [],
        executor: any CommandExecutor<Command, Message>, source: any SubscriptionSource<Subscription, Message>,
        renderer: any Renderer<State>
    ) {
        self.application = application
        chain = UpdateChain(application: application, middleware: middleware)
        (self.executor, self.source, self.renderer) = (executor, source, renderer)
        state = application.initial
    }

    /// What is listened to now.
    public var activeSubscriptions: Set<Subscription> { Set(listening.keys) }

    /// Renders the state and starts its subscriptions.
    public func start() {
        guard !isRunning else { return }
        isRunning = true
        renderer.render(state)
        listen()
    }

    /// Something has happened. It is ignored before `start` and after `stop`.
    public func send(_ message: Message) {
        guard isRunning else { return }
        let (next, command) = chain.update(state, message)
        let isChanged = next != state
        state = next
        if isChanged {
            renderer.render(state)
            listen()
        }
        if let command { carryOut(command) }
    }

    /// Stops every subscription and cancels every command; no message is taken up from then on.
    public func stop() {
        isRunning = false
        for listening in listening.values { listening.task.cancel() }
        for task in commands.values { task.cancel() }
        (listening, commands) = ([:], [:])
    }

    /// Makes what is listened to what the state asks for.
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

    /// A message of a subscription, unless that was stopped meanwhile.
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
