import StoryClient

package import struct FoundationEssentials.Date

/// A screen of a coordinator.
package enum ScreenState<Kind: BrowsedKind>: Equatable, Sendable {
    case list(ListState<Kind>)
    case page(PageState<Kind>)
    case form(FormState<Kind>)

    /// The kind that is shown.
    package var kind: Kind {
        switch self {
        case .list(let state): state.kind
        case .page(let state): state.kind
        case .form(let state): state.kind
        }
    }
}

/// An event for a screen.
package enum ScreenMessage<Kind: BrowsedKind>: Sendable {
    /// It is shown, for the first time or again.
    case appeared
    case key(Key, Surroundings)
    case list(ListMessage<Kind>)
    case page(PageMessage<Kind>)
    case form(Submission)
    /// The result of a write without a form, as a sentence.
    case written(String)
    case narrowed(Kind.Filter)
    /// The store describes the kind like this now.
    case described(Kind)
    /// The users that the text of a form's field may mean.
    case people(FoundPeople)
}

/// The context of a key press.
package struct Surroundings: Hashable, Sendable {
    /// The number of lines of a list or a text.
    package let height: Int
    /// The ID of the user whom the browser acts for.
    package let user: String?
    /// The time of the key press.
    package let time: Date
}

/// A request of a screen to the store.
package enum ScreenCommand<Kind: BrowsedKind>: Sendable {
    case list(ListRequest<Kind>)
    case history(id: String, around: UInt64?)
    case past(id: String, version: UInt64)
    /// Read the row as it was before the event at a position.
    case earlier(id: String, than: UInt64)
    case submit(Draft, FormPurpose)
    case write(String, id: String, user: String?)
    /// Find the users that a text may mean.
    case people(String)
}

/// A subscription of a screen.
package enum ScreenSubscription<Kind: BrowsedKind>: Hashable, Sendable {
    /// The rows of a list, as they change.
    case rows(Kind.Filter)
    /// The moments at which a list is requested again.
    case anything(Freshness)
    /// One row, as it changes.
    case row(id: String)
    /// The events of a row's stream.
    case stream(String)
}

/// A coordinator: moves between the screens of its kind, and requests everything else from its owner.
package enum Coordinator<Kind: BrowsedKind> {
    /// Returns the screen of a list.
    package static func list(_ kind: Kind, _ filter: Kind.Filter = .init()) -> ScreenState<Kind> {
        .list(ListState(kind, filter))
    }

    /// Returns the screen of one row.
    package static func page(_ kind: Kind, _ id: String) -> ScreenState<Kind> { .page(PageState(kind, id: id)) }

    /// Updates a screen with a message. A message for another kind of screen arrived too late and is ignored.
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

    /// Returns the subscriptions of a screen.
    package static func subscriptions(for screen: ScreenState<Kind>) -> Set<ScreenSubscription<Kind>> {
        switch screen {
        case .list(let state): state.subscriptions
        case .page(let state): state.subscriptions
        case .form(let state): state.subscriptions
        }
    }
}

/// A screen of any coordinator, as far as it is only shown.
package protocol ShownScreen {
    /// The IDs of the users that the screen refers to.
    var people: [String] { get }
    /// The title for the breadcrumbs.
    var title: String { get }
    /// The keys of the screen and their actions, the most important first.
    var hints: [(key: String, does: String)] { get }
    /// True if typed characters are text.
    var takesText: Bool { get }
    /// Returns the lines of the screen, at most as many as fit.
    func view(_ size: Size, _ names: Names) -> [Line]
}

extension ScreenState: ShownScreen {
    package var people: [String] {
        switch self {
        case .list(let state): state.people
        case .page(let state): state.shown.content.map { kind.people(of: $0) } ?? []
        case .form(let state): (state.content.map { kind.people(of: $0) } ?? []) + state.draft.people
        }
    }

    package func view(_ size: Size, _ names: Names) -> [Line] {
        switch self {
        case .list(let state): state.view(size, names)
        case .page(let state): state.view(size, names)
        case .form(let state): state.view(size, names)
        }
    }

    package var title: String {
        switch self {
        case .list: kind.title
        case .page(let state): kind.name(of: state.id)
        case .form(let state): state.draft.title
        }
    }

    package var hints: [(key: String, does: String)] {
        switch self {
        case .list(let state): state.hints
        case .page(let state): state.hints
        case .form(let state) where state.purpose.isDeletion: [("y", "delete"), ("n", "keep")]
        case .form(let state) where state.offers != nil: [("↑↓", "choose"), ("Enter", "take"), ("Esc", "close")]
        case .form(let state) where state.purpose == .filter:
            [("Tab", "next field"), ("Enter", "apply"), ("Esc", "cancel")]
        case .form: [("Tab", "next field"), ("Enter", "save"), ("Ctrl-J", "new line"), ("Esc", "cancel")]
        }
    }

    package var takesText: Bool {
        if case .form = self { true } else { false }
    }
}
