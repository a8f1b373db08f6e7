import StoryClient
import Synchronization

/// An application for tests: a number that goes up and down, and listens where it is told to.
struct Counting: StoryApplication {
    struct State: Equatable, Sendable {
        var number = 0
        var heard: [String] = []
        var channels: Set<String> = []
    }

    enum Message: Equatable, Sendable {
        case add(Int)
        case nothing
        case ask(String)
        case answered(String)
        case tune(Set<String>)
    }

    enum Command: Equatable, Sendable { case ask(String) }

    var initial: State { State() }

    func update(_ state: State, _ message: Message) -> (State, Command?) {
        var state = state
        switch message {
        case .add(let amount): state.number += amount
        case .nothing: break
        case .ask(let question): return (state, .ask(question))
        case .answered(let answer): state.heard.append(answer)
        case .tune(let channels): state.channels = channels
        }
        return (state, nil)
    }

    func subscriptions(for state: State) -> Set<String> { state.channels }
}

/// The world as tests have it: it writes down what is asked of it, and says what it is told to say.
final class TestWorld: CommandExecutor, SubscriptionSource, Renderer {
    struct Seen {
        var rendered: [Counting.State] = []
        var started: [String] = []
        var stopped: [String] = []
        var sends: [String: @Sendable (Counting.Message) async -> Void] = [:]
        var cancelledCommands = 0
    }

    let seen = Mutex(Seen())
    /// The channels that end as soon as they are listened to.
    let endings: Set<String>

    init(endings: Set<String> = []) { self.endings = endings }

    func execute(_ command: Counting.Command) async -> [Counting.Message] {
        guard case .ask(let question) = command else { return [] }
        if question == "wait" {
            try? await Task.sleep(for: .seconds(60))
            seen.withLock { $0.cancelledCommands += Task.isCancelled ? 1 : 0 }
        }
        return [.answered(question + "?"), .answered(question + "!")]
    }

    func listen(to channel: String, send: @escaping @Sendable (Counting.Message) async -> Void) async {
        seen.withLock {
            $0.started.append(channel)
            $0.sends[channel] = send
        }
        guard !endings.contains(channel) else { return }
        try? await Task.sleep(for: .seconds(60))
        seen.withLock { $0.stopped.append(channel) }
    }

    func render(_ state: Counting.State) { seen.withLock { $0.rendered.append(state) } }
}
