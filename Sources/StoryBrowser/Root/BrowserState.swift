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
    /// The built-in kinds in the order of their keys, as the store describes them; none before that is known.
    var kinds: [ModelDescription]
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

    init(user: String?, start: Destination, kinds: [ModelDescription]) {
        size = Size.smallest
        route = Route(Location(number: 0, screen: start.screen(kinds)))
        (self.user, self.kinds) = (user, kinds)
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
    /// The built-in kinds of the store.
    case kinds([ModelDescription])
    /// The names of rows; nil for those that have none, or could not be read.
    case names([Reference: String?])
    /// The row was revised.
    case renamed(Reference)
    /// Each row of a kind that is revised from now on is reported; some may have been revised since their names were read.
    case renamesFollowed(kind: String)
    /// The process was asked to end.
    case interrupted
}

/// A request of the browser to the world.
package enum BrowserCommand: Sendable {
    /// Commands of the screen with a number, in their order.
    case screen(Int, [AnyCommand])
    /// Read the descriptions of the built-in kinds.
    case kinds
    /// Read the names of these rows.
    case names([Reference])
    /// All of these, at once.
    case several([BrowserCommand])
}

/// A subscription of the browser.
package enum BrowserSubscription: Hashable, Sendable {
    case terminal
    /// The store's availability, and the end of its log.
    case heartbeat
    /// Revisions of rows that others refer to.
    case renames
    /// A subscription of the screen with a number.
    case screen(Int, AnySubscription)
}
