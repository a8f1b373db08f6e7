#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A filter of the rows of a kind: conditions that are nil are ignored, and all others must hold.
public protocol ContentFilter: Hashable, Sendable {
    /// The earliest date, inclusive.
    var since: Date? { get set }
    /// The latest date, exclusive.
    var until: Date? { get set }
    /// Creates a filter that all rows pass.
    init()
    /// The filters as names and values on the wire.
    var options: [(name: String, value: String?)] { get }
}

/// A filter of users.
public struct UserFilter: ContentFilter {
    /// The prefecture: 1–47, JIS X 0401.
    public var prefecture: Int?
    /// The email address, ASCII case ignored.
    public var email: String?
    /// The earliest date, inclusive.
    public var since: Date?
    /// The latest date, exclusive.
    public var until: Date?

    /// Creates a filter of users for whom all of this holds.
    public init(prefecture: Int? = nil, email: String? = nil, since: Date? = nil, until: Date? = nil) {
        (self.prefecture, self.email, self.since, self.until) = (prefecture, email, since, until)
    }

    /// Creates a filter that all users pass.
    public init() { self.init(prefecture: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [
            ("prefecture", prefecture.map(String.init)), ("email", email), ("since", since?.rfc3339),
            ("until", until?.rfc3339),
        ]
    }
}

/// A filter of stories.
public struct StoryFilter: ContentFilter {
    /// The ID of the sender.
    public var sender: String?
    /// The ID of the recipient.
    public var recipient: String?
    /// The earliest date, inclusive.
    public var since: Date?
    /// The latest date, exclusive.
    public var until: Date?

    /// Creates a filter of stories for which all of this holds.
    public init(sender: String? = nil, recipient: String? = nil, since: Date? = nil, until: Date? = nil) {
        (self.sender, self.recipient, self.since, self.until) = (sender, recipient, since, until)
    }

    /// Creates a filter that all stories pass.
    public init() { self.init(sender: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [("sender", sender), ("recipient", recipient), ("since", since?.rfc3339), ("until", until?.rfc3339)]
    }
}

/// A filter of messages.
public struct MessageFilter: ContentFilter {
    /// Two users, for the messages between them in both directions.
    public struct Pair: Hashable, Sendable {
        /// The ID of one user.
        public let one: String
        /// The ID of the other user.
        public let other: String

        /// Creates a pair of users by their IDs.
        public init(_ one: String, _ other: String) { (self.one, self.other) = (one, other) }
    }

    /// The ID of the sender.
    public var sender: String?
    /// The ID of the recipient.
    public var recipient: String?
    /// The ID of the story that they are about.
    public var story: String?
    /// The two users that they are between, in both directions.
    public var between: Pair?
    /// True for messages that were not seen yet, false for those that were.
    public var unseen: Bool?
    /// The earliest date, inclusive.
    public var since: Date?
    /// The latest date, exclusive.
    public var until: Date?

    /// Creates a filter of messages for which all of this holds.
    public init(
        sender: String? = nil, recipient: String? = nil, story: String? = nil, between: Pair? = nil,
        unseen: Bool? = nil, since: Date? = nil, until: Date? = nil
    ) {
        (self.sender, self.recipient, self.story, self.between) = (sender, recipient, story, between)
        (self.unseen, self.since, self.until) = (unseen, since, until)
    }

    /// Creates a filter that all messages pass.
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

/// A filter of photos.
public struct PhotoFilter: ContentFilter {
    /// The ID of the owner.
    public var owner: String?
    /// The earliest date, inclusive.
    public var since: Date?
    /// The latest date, exclusive.
    public var until: Date?

    /// Creates a filter of photos for which all of this holds.
    public init(owner: String? = nil, since: Date? = nil, until: Date? = nil) {
        (self.owner, self.since, self.until) = (owner, since, until)
    }

    /// Creates a filter that all photos pass.
    public init() { self.init(owner: nil) }

    /// The filters as names and values on the wire.
    public var options: [(name: String, value: String?)] {
        [("owner", owner), ("since", since?.rfc3339), ("until", until?.rfc3339)]
    }
}

/// The sort keys of users.
public enum UserSort: String, ContentSort { case date, name, email }

/// The sort keys of stories.
public enum StorySort: String, ContentSort { case date, title, likes, sender, recipient }

/// The sort keys of messages.
public enum MessageSort: String, ContentSort { case date }

/// The sort keys of photos.
public enum PhotoSort: String, ContentSort {
    case date, iso, focalLength, exposureValue, lensAperture, exposureDuration
}

/// The sort keys of a kind; the raw value is the name on the wire.
public protocol ContentSort: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}
