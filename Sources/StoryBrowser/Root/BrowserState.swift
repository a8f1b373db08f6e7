package import StoryClient

package import struct FoundationEssentials.Date

/// A screen that was gone to. Its number tells it from others of the same kind.
package struct Location: Equatable, Sendable {
    package let number: Int
    package internal(set) var screen: AnyScreen
}

/// All that the browser knows.
package struct BrowserState: Equatable, DrawnState {
    /// Whether the store answers.
    package enum Connection: Hashable, Sendable {
        case unknown
        case connected
        /// It does not; a sentence says why.
        case lost(String)
    }

    package internal(set) var size: Size
    package internal(set) var route: Route<Location>
    package internal(set) var connection = Connection.unknown
    /// The name of the log, once it is known: another one is another history.
    package internal(set) var log: String?
    /// The position of the last event of the log that is known of.
    package internal(set) var position: UInt64 = 0
    /// What the users are called whom rows refer to.
    package internal(set) var names = Names()
    /// The last thing that there was to say; nil once a key was pressed.
    package internal(set) var notice: String?
    package internal(set) var isHelpShown = false
    /// Nil while it runs.
    package internal(set) var ending: ScreenEnding?
    /// The ID of the user whom it acts for.
    package let user: String?
    /// How many screens were gone to.
    var count = 1
    /// True once the terminal was there.
    var hasBegun = false

    /// A browser that shows all stories.
    init(user: String?) {
        size = Size.smallest
        route = Route(Location(number: 0, screen: .story(Coordinator.list())))
        self.user = user
    }

    /// How many lines the screen of a coordinator has.
    var height: Int { max(1, size.rows - BrowserState.frame) }

    /// How many lines are around that: places, notice and keys.
    static let frame = 3
}

/// What can happen to the browser.
package enum BrowserMessage: TerminalMessage {
    /// The terminal is ready, and as large as this, now or anew.
    case resized(Size)
    /// A key that was pressed, and when.
    case key(Key, at: Date)
    /// The store answered, at this position of the log of this name; nil where that is not known.
    case connected(UInt64, log: String?)
    /// The store does not answer; a sentence says why.
    case lost(String)
    /// Something for the screen with a number.
    case screen(Int, AnyMessage)
    /// What users are called, by their IDs; nil for those who cannot be had.
    case names([String: String?])
    /// The user with this ID was revised.
    case renamed(String)
    /// The process was told to end.
    case interrupted

    package static func terminalResized(_ size: Size) -> BrowserMessage { .resized(size) }
    package static func keyPressed(_ key: Key, at time: Date) -> BrowserMessage { .key(key, at: time) }
}

/// What the browser asks for.
package enum BrowserCommand: Sendable {
    /// Commands of the screen with a number, in their order.
    case screen(Int, [AnyCommand])
    /// What the users with these IDs are called.
    case names([String])
    /// All of these, at once.
    case several([BrowserCommand])
}

/// What the browser listens to.
package enum BrowserSubscription: Hashable, Sendable {
    case terminal
    /// Whether the store answers, and where its log ends.
    case heartbeat
    /// Which users are revised.
    case renames
    /// What the screen with a number listens to.
    case screen(Int, AnySubscription)
}
