import StoryBrowser
import StoryClient

import struct FoundationEssentials.Date

/// The live screen of the daemon's figures, as an application.
struct Top: StoryApplication {
    /// The figure that the clients are sorted by, the greatest first.
    enum Sort: String, CaseIterable, Sendable {
        case lag, requests, bytes
    }

    /// The state of the screen.
    struct State: Equatable, DrawnState {
        /// The number of samples that are kept, one for each second.
        static let remembered = 61

        var size = Size.smallest
        /// The kept samples, the oldest first.
        private(set) var samples: [TopSample] = []
        /// The reason why there is no newer sample; nil when there is one.
        var loss: String?
        var sort = Sort.lag
        var ending: ScreenEnding?

        mutating func add(_ sample: TopSample) {
            // Another daemon begins its counts again.
            if let last = samples.last, sample.uptime < last.uptime { samples = [] }
            samples.append(sample)
            if samples.count > State.remembered { samples.removeFirst() }
        }
    }

    /// An event of the terminal or the store.
    enum Message: TerminalMessage {
        case resized(Size)
        case key(Key)
        case sampled(TopSample)
        case lost(String)

        static func key(_ key: Key, at time: Date) -> Message { .key(key) }
    }

    /// The commands of the application, which has none: it only subscribes.
    enum Command: Sendable {}

    /// A source of messages.
    enum Subscription: Hashable, Sendable {
        case terminal
        /// The daemon's figures, once a second.
        case figures
    }

    var initial: State { State() }

    func update(_ state: State, _ message: Message) -> (State, Command?) {
        var state = state
        switch message {
        case .resized(let size): state.size = size
        case .sampled(let sample):
            state.add(sample)
            state.loss = nil
        case .lost(let reason): state.loss = reason
        case .key(.character("q")): state.ending = .quit
        case .key(.control("c")): state.ending = .interrupted
        case .key(.character("s")): state.sort = state.sort.next
        case .key: break
        }
        return (state, nil)
    }

    func subscriptions(for state: State) -> Set<Subscription> {
        state.ending == nil ? [.terminal, .figures] : []
    }
}

extension Top.Sort {
    var next: Top.Sort {
        switch self {
        case .lag: .requests
        case .requests: .bytes
        case .bytes: .lag
        }
    }
}
