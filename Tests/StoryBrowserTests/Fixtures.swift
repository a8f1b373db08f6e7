import Foundation

import Testing

@testable import StoryBrowser
@testable import StoryClient

/// Content for tests, as the store would send it.
enum Fixtures {
    static func decode<Content: Decodable>(_ json: String) throws -> Content {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Content.self, from: Data(json.utf8))
    }

    /// A story that was posted so many seconds after the first minute of the year.
    static func story(
        _ id: String, _ second: Int, title: String = "T", message: String = "m", likes: Int = 0, version: Int = 1,
        position: Int = 1
    ) throws -> Story {
        let date = Date(timeIntervalSince1970: 1_767_225_600 + Double(second)).formatted(.iso8601)
        return try decode(
            """
            {"id":"\(id)","version":\(version),"position":\(position),"title":"\(title)","message":"\(message)",
            "sender":"007","recipient":"008","date":"\(date)","likes":\(likes)}
            """)
    }

    static func stories(_ seconds: some Sequence<Int>) throws -> [Story] {
        try seconds.map { try story("s\($0)", $0, title: "story \($0)") }
    }

}

/// A browser in the hand of a test: what it was asked for, and what it shows.
struct Driven {
    let browser: Browser
    private(set) var state: BrowserState
    /// What was asked for and not yet looked at.
    private(set) var commands: [AnyCommand] = []
    /// The users whose names were asked for, in the order in which they were.
    private(set) var asked: [String] = []

    init(user: String? = nil, start: Destination = .allStories, size: Size = Size(columns: 80, rows: 24)) {
        browser = Browser(user: user, start: start)
        state = browser.initial
        send(.resized(size))
    }

    mutating func send(_ message: BrowserMessage) {
        let (next, command) = browser.update(state, message)
        state = next
        if let command { take(command) }
    }

    private mutating func take(_ command: BrowserCommand) {
        switch command {
        case .screen(_, let more): commands += more
        case .names(let ids): asked += ids
        case .several(let commands): for command in commands { take(command) }
        }
    }

    /// When every key is pressed.
    static let time = Date(timeIntervalSince1970: 1_795_178_096)

    mutating func press(_ keys: Key...) { for key in keys { send(.key(key, at: Driven.time)) } }

    mutating func type(_ text: String) { for character in text { send(.key(.character(character), at: Driven.time)) } }

    /// What was asked for since the last time.
    mutating func takeCommands() -> [AnyCommand] {
        defer { commands = [] }
        return commands
    }

    /// The request for a list of stories that was made last.
    mutating func takeListRequest() throws -> ListRequest<Stories> {
        let requests = takeCommands(of: Stories.self).compactMap { command in
            if case .list(let request) = command { request } else { nil }
        }
        return try #require(requests.last)
    }

    /// The commands of a kind's screens since the last time.
    mutating func takeCommands<Kind: BrowsedKind>(of kind: Kind.Type) -> [ScreenCommand<Kind>] {
        takeCommands().compactMap { $0.command as? ScreenCommand<Kind> }
    }

    /// The last command since the last time; nil if it is another kind's.
    mutating func takeLastCommand<Kind: BrowsedKind>(of kind: Kind.Type) -> ScreenCommand<Kind>? {
        takeCommands().last?.command as? ScreenCommand<Kind>
    }

    /// Answers the last request for a list of stories.
    mutating func answer(_ rows: [Story], next: String? = nil, position: UInt64 = 1) throws {
        let request = try takeListRequest()
        hand(.list(.loaded(request, Page(rows: rows, next: next, position: position))))
    }

    /// Something for the screen on top, which is the stories'.
    mutating func hand(_ message: ScreenMessage<Stories>) {
        send(.screen(state.route.location.number, AnyMessage(message, of: Stories())))
    }

    mutating func change(_ changes: ListChange<Story>...) { hand(.list(.changed(changes))) }

    var list: ListState<Stories> {
        get throws {
            guard let list = state.route.location.screen as? ListState<Stories> else { throw NoSuchScreen() }
            return list
        }
    }

    var page: PageState<Stories> {
        get throws {
            guard let page = state.route.location.screen as? PageState<Stories> else { throw NoSuchScreen() }
            return page
        }
    }

    var draft: Draft {
        get throws {
            switch state.route.location.screen {
            case let form as FormState<Stories>: return form.draft
            case let form as FormState<Users>: return form.draft
            case let form as FormState<Messages>: return form.draft
            case let form as FormState<Photos>: return form.draft
            default: throw NoSuchScreen()
            }
        }
    }

    var lines: [String] { state.screen.text }

    struct NoSuchScreen: Error {}
}
