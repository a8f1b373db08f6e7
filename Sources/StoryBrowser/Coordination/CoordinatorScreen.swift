import StoryClient

import struct FoundationEssentials.Date

/// A screen of a coordinator: a list, a page or a form of its kind. It requests everything else from its owner.
protocol CoordinatorScreen<Kind>: Equatable, Sendable {
    /// The kind of its coordinator.
    associatedtype Kind: BrowsedKind

    /// The kind that is shown.
    var kind: Kind { get }
    /// The rows of other kinds that the screen refers to.
    var references: [Reference] { get }
    /// The title for the breadcrumbs.
    var title: String { get }
    /// The keys of the screen and their actions, the most important first.
    var hints: [(key: String, does: String)] { get }
    /// True if typed characters are text.
    var takesText: Bool { get }
    /// The subscriptions of the screen while it is shown.
    var subscriptions: Set<ScreenSubscription<Kind>> { get }
    /// Returns the lines of the screen, at most as many as fit.
    func view(_ size: Size, _ names: Names) -> [Line]
    /// Updates the screen with a message. A message for another kind of screen arrived too late and is ignored.
    mutating func update(_ message: ScreenMessage<Kind>) -> Step
}

extension CoordinatorScreen {
    var takesText: Bool { false }
}

/// An event for a screen.
enum ScreenMessage<Kind: BrowsedKind>: Sendable {
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
    /// The rows that the text of a form's field may mean.
    case found(FoundRows)
}

/// The context of a key press.
struct Surroundings: Hashable, Sendable {
    /// The number of lines of a list or a text.
    let height: Int
    /// The ID of the user whom the browser acts for.
    let user: String?
    let time: Date
}

/// A request of a screen to the store.
enum ScreenCommand<Kind: BrowsedKind>: Sendable {
    case list(ListRequest<Kind>)
    case history(id: String, around: UInt64?)
    case past(id: String, version: UInt64)
    /// Read the row as it was before the event at a position.
    case earlier(id: String, than: UInt64)
    case submit(Draft, FormPurpose)
    case write(String, id: String, user: String?)
    /// Find the rows of a kind that a text may mean.
    case find(String, kind: String)
}

/// A subscription of a screen.
enum ScreenSubscription<Kind: BrowsedKind>: Hashable, Sendable {
    /// The rows of a list, as they change.
    case rows(Kind.Filter)
    /// The moments at which a list is requested again.
    case anything(Freshness)
    /// One row, as it changes.
    case row(id: String)
    /// The events of a row's stream.
    case stream(String)
}

/// A request of a coordinator to its owner.
enum Outgoing {
    /// Open another screen of the same coordinator.
    case show(any CoordinatorScreen)
    /// Open a screen of another coordinator.
    case open(Destination)
    case back
    /// Go back, and send this to the screen there: its new filter.
    case narrow(AnyMessage)
    /// Show this in the line of notices.
    case say(String)
}

/// The effects of a message to a coordinator, besides its next state.
struct Step {
    var commands: [AnyCommand] = []
    var outgoing: [Outgoing] = []

    static var nothing: Step { Step() }

    static func command<Kind: BrowsedKind>(_ command: ScreenCommand<Kind>, of kind: Kind) -> Step {
        Step(commands: [AnyCommand(command, of: kind)])
    }

    static func ask(_ outgoing: Outgoing...) -> Step { Step(outgoing: outgoing) }
}

/// A message to a screen of any coordinator.
package struct AnyMessage: Sendable, CustomReflectable {
    /// The `ScreenMessage` of a kind.
    let message: any Sendable
    private let kind: String

    init<Kind: BrowsedKind>(_ message: ScreenMessage<Kind>, of kind: Kind) {
        (self.message, self.kind) = (message, kind.noun)
    }

    /// The message within a case of its kind, as the names of timings have it: `story.list`.
    package var customMirror: Mirror { Mirror(self, children: [kind: message], displayStyle: .enum) }
}

/// A command of a screen of any coordinator.
package struct AnyCommand: Sendable {
    let kind: any BrowsedKind
    /// The `ScreenCommand` of that kind.
    let command: any Sendable

    init<Kind: BrowsedKind>(_ command: ScreenCommand<Kind>, of kind: Kind) {
        (self.command, self.kind) = (command, kind)
    }
}

/// A subscription of a screen of any coordinator.
package struct AnySubscription: Hashable, Sendable {
    let kind: any BrowsedKind
    /// The `ScreenSubscription` of that kind.
    let subscription: any Hashable & Sendable

    /// Creates the subscription of a kind, without what the store tells about that.
    init<Kind: BrowsedKind>(_ subscription: ScreenSubscription<Kind>, of kind: Kind) {
        (self.subscription, self.kind) = (subscription, kind.undescribed)
    }

    package static func == (one: AnySubscription, other: AnySubscription) -> Bool {
        AnyHashable(one.kind) == AnyHashable(other.kind)
            && AnyHashable(one.subscription) == AnyHashable(other.subscription)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(subscription) }
}

extension CoordinatorScreen {
    /// The subscriptions of the screen while it is shown, with its kind.
    var followed: [AnySubscription] { subscriptions.map { AnySubscription($0, of: kind) } }

    func isEqual(to other: any CoordinatorScreen) -> Bool { other as? Self == self }

    /// Notifies the screen that it is shown.
    mutating func appear() -> Step { update(.appeared) }

    mutating func press(_ key: Key, in surroundings: Surroundings) -> Step { update(.key(key, surroundings)) }

    /// Delivers a message; one for another coordinator arrived too late and is ignored.
    mutating func receive(_ message: AnyMessage) -> Step {
        (message.message as? ScreenMessage<Kind>).map { update($0) } ?? .nothing
    }
}
