#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Which rows of a kind are meant; what is nil does not matter, and what is given must all hold.
public protocol ContentFilter: Hashable, Sendable {
    /// Those with this date or a later one.
    var since: Date? { get set }
    /// Those with an earlier date.
    var until: Date? { get set }
    /// All rows.
    init()
    /// The filters as names and values on the wire.
    var options: [(name: String, value: String?)] { get }
}

/// Which users.
public struct UserFilter: ContentFilter {
    /// 1–47, JIS X 0401.
    public var prefecture: Int?
    /// The address, ASCII case ignored.
    public var email: String?
    /// With this date or a later one.
    public var since: Date?
    /// With an earlier date.
    public var until: Date?

    /// Users for whom all of this holds.
    public init(prefecture: Int? = nil, email: String? = nil, since: Date? = nil, until: Date? = nil) {
        (self.prefecture, self.email, self.since, self.until) = (prefecture, email, since, until)
    }

    /// All users.
    public init() { self.init(prefecture: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [
            ("prefecture", prefecture.map(String.init)), ("email", email), ("since", since?.rfc3339),
            ("until", until?.rfc3339),
        ]
    }
}

/// Which stories.
public struct StoryFilter: ContentFilter {
    /// Those that this user sent.
    public var sender: String?
    /// Those that this user received.
    public var recipient: String?
    /// With this date or a later one.
    public var since: Date?
    /// With an earlier date.
    public var until: Date?

    /// Stories for which all of this holds.
    public init(sender: String? = nil, recipient: String? = nil, since: Date? = nil, until: Date? = nil) {
        (self.sender, self.recipient, self.since, self.until) = (sender, recipient, since, until)
    }

    /// All stories.
    public init() { self.init(sender: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [("sender", sender), ("recipient", recipient), ("since", since?.rfc3339), ("until", until?.rfc3339)]
    }
}

/// Which messages.
public struct MessageFilter: ContentFilter {
    /// Two users, for what is between them, either way.
    public struct Pair: Hashable, Sendable {
        /// One of them.
        public let one: String
        /// The other one.
        public let other: String

        /// Two users by their IDs.
        public init(_ one: String, _ other: String) { (self.one, self.other) = (one, other) }
    }

    /// Those that this user sent.
    public var sender: String?
    /// Those that this user received.
    public var recipient: String?
    /// Those about this story.
    public var story: String?
    /// Those between these two users, either way.
    public var between: Pair?
    /// Those not yet seen, or those that were.
    public var unseen: Bool?
    /// With this date or a later one.
    public var since: Date?
    /// With an earlier date.
    public var until: Date?

    /// Messages for which all of this holds.
    public init(
        sender: String? = nil, recipient: String? = nil, story: String? = nil, between: Pair? = nil,
        unseen: Bool? = nil, since: Date? = nil, until: Date? = nil
    ) {
        (self.sender, self.recipient, self.story, self.between) = (sender, recipient, story, between)
        (self.unseen, self.since, self.until) = (unseen, since, until)
    }

    /// All messages.
    public init() { self.init(sender: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [
            ("sender", sender), ("recipient", recipient), ("story", story),
            ("between", between.map { "\($0.one),\($0.other)" }), ("unseen", unseen.map { $0 ? "true" : "false" }),
            ("since", since?.rfc3339), ("until", until?.rfc3339),
        ]
    }
}

/// Which photos.
public struct PhotoFilter: ContentFilter {
    /// Those that this user owns.
    public var owner: String?
    /// With this date or a later one.
    public var since: Date?
    /// With an earlier date.
    public var until: Date?

    /// Photos for which all of this holds.
    public init(owner: String? = nil, since: Date? = nil, until: Date? = nil) {
        (self.owner, self.since, self.until) = (owner, since, until)
    }

    /// All photos.
    public init() { self.init(owner: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [("owner", owner), ("since", since?.rfc3339), ("until", until?.rfc3339)]
    }
}

/// What users can be sorted by.
public enum UserSort: String, ContentSort { case date, name, email }

/// What stories can be sorted by.
public enum StorySort: String, ContentSort { case date, title, likes, sender, recipient }

/// What messages can be sorted by.
public enum MessageSort: String, ContentSort { case date }

/// What photos can be sorted by.
public enum PhotoSort: String, ContentSort {
    case date, iso, focalLength, exposureValue, lensAperture, exposureDuration
}

/// What rows of a kind can be sorted by; the raw value is its name on the wire.
public protocol ContentSort: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}
