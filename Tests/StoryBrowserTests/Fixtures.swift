import Foundation
import TestSupport

@testable import StoryBrowser
@testable import StoryClient

/// Content for tests, as the store would send it.
enum Fixtures {
    static func decode<Content: Decodable>(_ json: String) throws -> Content {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Content.self, from: Data(json.utf8))
    }

    /// The built-in kinds, as the store describes them.
    static let kinds: [ModelDescription] = DescribedKinds.lines.compactMap { line in
        let json = try? JSONDecoder().decode(JSONValue.self, from: Data(line))
        return json.flatMap { ModelDescription($0) }
    }.sorted { $0.key ?? "" < $1.key ?? "" }

    /// The rows of a built-in kind.
    static func rows(_ name: String) throws -> ModelRows {
        ModelRows(try require(kinds.first { $0.id == name }))
    }

    /// A story that was posted so many seconds after the first minute of the year.
    static func story(
        _ id: String, _ second: Int, title: String = "T", message: String = "m", likes: Int = 0, version: Int = 1,
        position: Int = 1
    ) throws -> ModelRow {
        let date = Date(timeIntervalSince1970: 1_767_225_600 + Double(second)).formatted(.iso8601)
        return try decode(
            """
            {"id":"\(id)","version":\(version),"position":\(position),"title":"\(title)","message":"\(message)",
            "sender":"007","recipient":"008","date":"\(date)","likes":\(likes)}
            """)
    }

    static func stories(_ seconds: some Sequence<Int>) throws -> [ModelRow] {
        try seconds.map { try story("s\($0)", $0, title: "story \($0)") }
    }

}

/// A browser in the hand of a test: what it was asked for, and what it shows.
struct Driven {
    let browser: Browser
    private(set) var state: BrowserState
    /// What was asked for and not yet looked at.
    private(set) var commands: [AnyCommand] = []
    /// The IDs of the rows whose names were asked for, in the order in which they were.
    private(set) var asked: [String] = []

    init(user: String? = nil, start: Destination = .rows(of: "stories"), size: Size = Size(columns: 80, rows: 24)) {
        browser = Browser(user: user, start: start, kinds: Fixtures.kinds)
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
        case .names(let rows): asked += rows.map(\.id)
        case .kinds: break
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

    /// The request for a list of rows that was made last.
    mutating func takeListRequest() throws -> ListRequest<ModelRows> {
        let requests = takeCommands(of: ModelRows.self).compactMap { command in
            if case .list(let request) = command { request } else { nil }
        }
        return try require(requests.last)
    }

    /// The commands of a kind's screens since the last time.
    mutating func takeCommands<Kind: BrowsedKind>(of kind: Kind.Type) -> [ScreenCommand<Kind>] {
        takeCommands().compactMap { $0.command as? ScreenCommand<Kind> }
    }

    /// The last command since the last time; nil if it is another kind's.
    mutating func takeLastCommand<Kind: BrowsedKind>(of kind: Kind.Type) -> ScreenCommand<Kind>? {
        takeCommands().last?.command as? ScreenCommand<Kind>
    }

    /// Answers the last request for a list of rows.
    mutating func answer(_ rows: [ModelRow], next: String? = nil, position: UInt64 = 1) throws {
        let request = try takeListRequest()
        hand(.list(.loaded(request, Page(rows: rows, next: next, position: position))))
    }

    /// Something for the screen on top, which is of rows.
    mutating func hand(_ message: ScreenMessage<ModelRows>) {
        send(.screen(state.route.location.number, AnyMessage(message, of: ModelRows("stories"))))
    }

    mutating func change(_ changes: ListChange<ModelRow>...) { hand(.list(.changed(changes))) }

    var list: ListState<ModelRows> {
        get throws {
            guard let list = state.route.location.screen as? ListState<ModelRows> else { throw NoSuchScreen() }
            return list
        }
    }

    var page: PageState<ModelRows> {
        get throws {
            guard let page = state.route.location.screen as? PageState<ModelRows> else { throw NoSuchScreen() }
            return page
        }
    }

    var draft: Draft {
        get throws {
            guard let form = state.route.location.screen as? FormState<ModelRows> else { throw NoSuchScreen() }
            return form.draft
        }
    }

    var lines: [String] { state.screen.text }

    struct NoSuchScreen: Error {}
}

extension Reference {
    static func user(_ id: String) -> Reference { Reference(kind: "users", id: id) }
}
