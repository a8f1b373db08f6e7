package import StoryClient

package import struct FoundationEssentials.Date

/// A screen of a coordinator's.
package enum ScreenState<Kind: BrowsedKind>: Equatable, Sendable {
    case list(ListState<Kind>)
    case page(PageState<Kind>)
    case form(FormState<Kind>)
}

/// What can happen to a screen.
package enum ScreenMessage<Kind: BrowsedKind>: Sendable {
    /// It is shown now, for the first time or again.
    case appeared
    case key(Key, Surroundings)
    case list(ListMessage<Kind>)
    case page(PageMessage<Kind>)
    case form(Submission)
    /// A write without a form was done, or why not.
    case written(String)
    case narrowed(Kind.Content.Filter)
}

/// What a screen is told of the world around it when a key is pressed.
package struct Surroundings: Hashable, Sendable {
    /// How many lines a list or a text has.
    package let height: Int
    /// The ID of the user whom the browser acts for.
    package let user: String?
    /// When the key was pressed.
    package let time: Date
}

/// What a screen asks of the store.
package enum ScreenCommand<Kind: BrowsedKind>: Sendable {
    case list(ListRequest<Kind>)
    case history(id: String, around: UInt64?)
    case past(id: String, version: UInt64)
    case submit(Draft, FormPurpose)
    case write(String, id: String, user: String?)
}

/// What a screen listens to.
package enum ScreenSubscription<Kind: BrowsedKind>: Hashable, Sendable {
    /// The rows of a list, as they change.
    case rows(Kind.Content.Filter)
    /// That something happened to some row of the kind.
    case anything
    /// One row, as it changes.
    case row(id: String)
}

/// A coordinator: it goes from a screen to the next ones of its kind, and asks for what it does not have itself.
package enum Coordinator<Kind: BrowsedKind> {
    /// The screen that a list begins with.
    package static func list(_ filter: Kind.Content.Filter = .init()) -> ScreenState<Kind> {
        .list(ListState(filter))
    }

    /// The screen of one row.
    package static func page(_ id: String) -> ScreenState<Kind> { .page(PageState(id: id)) }

    /// What becomes of a screen when something happens to it. What is meant for another kind of screen is ignored: it
    /// came too late.
    package static func update(_ screen: inout ScreenState<Kind>, _ message: ScreenMessage<Kind>) -> Step<Kind> {
        switch screen {
        case .list(var state):
            defer { screen = .list(state) }
            return state.update(message)
        case .page(var state):
            defer { screen = .page(state) }
            return state.update(message)
        case .form(var state):
            defer { screen = .form(state) }
            return state.update(message)
        }
    }

    /// What a screen listens to.
    package static func subscriptions(for screen: ScreenState<Kind>) -> Set<ScreenSubscription<Kind>> {
        switch screen {
        case .list(let state): state.subscriptions
        case .page(let state): [.row(id: state.id)]
        case .form(let state): state.subscriptions
        }
    }

    /// The IDs of the users whom what is shown refers to.
    package static func people(_ screen: ScreenState<Kind>) -> [String] {
        switch screen {
        case .list(let state): state.people
        case .page(let state): state.shown.content.map { Kind.people(of: $0) } ?? []
        case .form(let state): state.content.map { Kind.people(of: $0) } ?? []
        }
    }

    /// What a screen shows, in no more lines than there is room for.
    package static func view(_ screen: ScreenState<Kind>, _ size: Size, _ names: Names) -> [Line] {
        switch screen {
        case .list(let state): state.view(size, names)
        case .page(let state): state.view(size, names)
        case .form(let state): state.view(size, names)
        }
    }

    /// What a screen is called in the line of places.
    package static func title(_ screen: ScreenState<Kind>) -> String {
        switch screen {
        case .list: Kind.title
        case .page(let state): "\(Kind.category) \(state.id)"
        case .form(let state): state.draft.title
        }
    }

    /// The keys of a screen and what they do, the most important first.
    package static func hints(_ screen: ScreenState<Kind>) -> [(key: String, does: String)] {
        switch screen {
        case .list:
            [("↑↓", "move"), ("Enter", "open"), ("/", "filter"), ("s", "sort"), ("S", "reverse"), ("n", "new")]
                + Kind.keys.map { (String($0.key), $0.name) }
        case .page(let state): state.hints
        case .form(let state) where state.purpose.isDeletion: [("y", "delete"), ("n", "keep")]
        case .form(let state) where state.purpose == .filter:
            [("Tab", "next field"), ("Enter", "apply"), ("Esc", "cancel")]
        case .form: [("Tab", "next field"), ("Enter", "save"), ("Ctrl-J", "new line"), ("Esc", "cancel")]
        }
    }

    /// True where what is typed is text.
    package static func takesText(_ screen: ScreenState<Kind>) -> Bool {
        if case .form = screen { true } else { false }
    }
}
