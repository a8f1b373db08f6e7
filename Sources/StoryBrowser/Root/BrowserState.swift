import StoryClient

package import struct FoundationEssentials.Date

/// A visited screen, with a number that identifies it.
struct Location: Equatable, Sendable {
    let number: Int
    var screen: any CoordinatorScreen

    static func == (one: Location, other: Location) -> Bool {
        one.number == other.number && one.screen.isEqual(to: other.screen)
    }
}

/// The state of the browser.
package struct BrowserState: Equatable, Sendable {
    /// The state of the connection to the store.
    enum Connection: Hashable, Sendable {
        case unknown
        case connected
        /// The store does not answer; with a sentence that says why.
        case lost(String)
    }

    var size: Size
    /// The visited screens up to the one that is shown.
    var route: Route<Location>
    var connection = Connection.unknown
    /// The ID of the log, once it is known: a different one is a different history.
    var log: String?
    /// The position of the last known event of the log.
    var position: UInt64 = 0
    var names = Names()
    /// The latest notice; nil after a key press.
    var notice: String?
    var isHelpShown = false
    /// The reason of the end; nil while it runs.
    package internal(set) var ending: ScreenEnding?
    /// The ID of the user whom it acts for.
    let user: String?
    /// The number of screens that were visited.
    var count = 1
    var hasBegun = false

    init(user: String?, start: Destination) {
        size = Size.smallest
        route = Route(Location(number: 0, screen: start.screen))
        self.user = user
    }

    /// The number of lines of a coordinator's screen.
    var height: Int { max(1, size.rows - BrowserState.frame) }

    /// The number of lines around it: breadcrumbs, notice and keys.
    static let frame = 3
}

/// An event for the browser.
package enum BrowserMessage: Sendable {
    /// The terminal is ready or has a new size.
    case resized(Size)
    /// A key press, and its time.
    case key(Key, at: Date)
    /// The store answered, with the end of its log and the log's ID; nil if that is not known.
    case connected(UInt64, log: String?)
    /// The store does not answer; with a sentence that says why.
    case lost(String)
    /// A message for the screen with a number.
    case screen(Int, AnyMessage)
    /// The names of users, by their IDs; nil for those that could not be read.
    case names([String: String?])
    /// The user with this ID was revised.
    case renamed(String)
    /// The process was asked to end.
    case interrupted
}

/// A request of the browser to the world.
package enum BrowserCommand: Sendable {
    /// Commands of the screen with a number, in their order.
    case screen(Int, [AnyCommand])
    /// Read the names of the users with these IDs.
    case names([String])
    /// All of these, at once.
    case several([BrowserCommand])
}

/// A subscription of the browser.
package enum BrowserSubscription: Hashable, Sendable {
    case terminal
    /// The store's availability, and the end of its log.
    case heartbeat
    /// Revisions of users.
    case renames
    /// A subscription of the screen with a number.
    case screen(Int, AnySubscription)
}
