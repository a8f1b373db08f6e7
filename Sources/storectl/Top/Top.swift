import StoryBrowser
import StoryClient

import struct FoundationEssentials.Date

/// The live screen of the daemon's figures, as an application.
struct Top: StoryApplication {
    /// What the clients are sorted by, the greatest first.
    enum Sort: String, CaseIterable, Sendable {
        case lag, requests, bytes
    }

    /// All that the screen shows.
    struct State: Equatable, DrawnState {
        /// The samples of so many seconds are remembered.
        static let remembered = 61

        var size = Size.smallest
        /// The oldest first.
        private(set) var samples: [TopSample] = []
        /// Why there is no newer sample; nil where there is one.
        var loss: String?
        var sort = Sort.lag
        var ending: ScreenEnding?

        mutating func add(_ sample: TopSample) {
            // Another daemon counts anew.
            if let last = samples.last, sample.uptime < last.uptime { samples = [] }
            samples.append(sample)
            if samples.count > State.remembered { samples.removeFirst() }
        }
    }

    /// What can happen.
    enum Message: TerminalMessage {
        case resized(Size)
        case key(Key)
        case sampled(TopSample)
        case lost(String)

        static func terminalResized(_ size: Size) -> Message { .resized(size) }
        static func keyPressed(_ key: Key, at time: Date) -> Message { .key(key) }
    }

    /// It asks for nothing but what it listens to.
    enum Command: Sendable {}

    /// What is listened to.
    enum Subscription: Hashable, Sendable {
        case terminal
        /// The daemon's figures, each second.
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
